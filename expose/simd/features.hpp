// What is done with rows that are already projected: inner products with one vector, and exact sums.
//
// features: [rows][size], on the grid 2^-22, as a map's `project` gives them. Any number of threads may call these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace expose::simd {

// eta[i] = sum_j features[i][j] dual[j], in 16 virtual lanes. Or the duals of many models and the features of one row.
void inner_products(const float* features, std::size_t rows, std::size_t size, const float* dual, double* eta);

// sums[j] += the features of the rows with keep[i] != 0 (all rows for a null pointer), in units of 2^-22.
void add_features(const float* features, std::size_t rows, std::size_t size, const char* keep, std::int64_t* sums);

// A row of a stream: sum_j features_j sums_j, in units of 2^-44 and in double, 16 virtual lanes; then sums[j] +=
// features_j, in units of 2^-22.
double watch(const float* features, std::size_t size, std::int64_t* sums);

}  // namespace expose::simd

// What a row of a stream asks of a mean w that changes with every row: <phi, w> and |w|^2 in one pass, in double.
//
// Number j is summed in lane j mod 16, and the lanes as a tree; nothing is fused: the same bits on every target. Any
// number of threads may call these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace expose::simd {

struct Products {
  double cross = 0.0;   // sum_j features_j w_j
  double square = 0.0;  // sum_j w_j^2
};

Products products(const float* features, const double* w, std::size_t size);
// For w_j = sums_j unit.
Products products(const float* features, const std::int64_t* sums, double unit, std::size_t size);

}  // namespace expose::simd

// One row of features against many models: M inner products over one pass through the matrix of their duals.
#pragma once

#include <cstddef>

namespace expose::simd {

// out[m] = sum_j features[j] matrix[m size + j], in 16 virtual lanes.
// REQUIRES: size is a multiple of 16 (pad with zeros)
void dots(const float* features, const float* matrix, std::size_t models, std::size_t size, double* out);

}  // namespace expose::simd

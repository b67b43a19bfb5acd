// The similarity of a row with each of its features unknown in turn: O(r d) for all of them, not O(r d^2).
//
// a_j is a sum over columns, so a feature that is unknown exchanges its terms for others that do not depend on the row:
//   eta_g = sum_j amplitude_gj f(start_j + sum over the columns outside g of their terms + exchanged_gj)
// f = cos (2 pi a) for fourier, 2^-a for gaussian. The sum of the others is made of what stands before g and what
// stands behind it, never by subtraction: a column that is far out would leave no digits. Stateless but for a scratch
// buffer a thread; any number of threads may call it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expose/simd/dense.hpp"

namespace expose::simd {

struct Without {
  std::size_t features = 0;
  std::vector<std::uint32_t> group;  // [d]: the feature that a column belongs to; one may have none
  AlignedVector<float> exchanged;    // [features][slots]
  AlignedVector<float> amplitude;    // [features][slots], 0 where there is no column of the map
  AlignedVector<float> start;        // [slots], zeros for gaussian
};

// eta: [features]. REQUIRES: the profile of the map is fourier or gaussian
void similarity_without(const Dense& map, const Without& without, std::span<const float> row, double* eta);

}  // namespace expose::simd

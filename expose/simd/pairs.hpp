// Distances of many rows to eight others, in double precision.
//
// Columns are summed in eight partial sums, column k in sum k mod 8, which are then added in their order: the same bits
// on every target. REQUIRES of all: columns is a multiple of 8; fill up with zeros, which add nothing.
#pragma once

#include <cstddef>

namespace expose::simd {

inline constexpr std::size_t kPairRows = 8;

enum class Distance { squared, absolute };  // sum_k (x_k - z_k)^2, sum_k |x_k - z_k|

// sums[i][j] is the distance of rows i and j. rows: [n][columns]; others: [columns][kPairRows]; sums: [n][kPairRows]
void sums_of_pairs(Distance distance, const double* rows, std::size_t n, const double* others, std::size_t columns,
                   double* sums);

}  // namespace expose::simd

// Columns to one centre and spread: what the scaler does to every number that comes in.
//
// Divisions, rounded as IEEE 754 says: the same bits on every target.
#pragma once

#include <cstddef>
#include <cstdint>

namespace expose::simd {

// The columns that are kept, d of them, with m and s of each. kept: their numbers; null: the first d.
struct Columns {
  const std::uint32_t* kept;
  const double* centre;
  const double* spread;
  std::size_t d;
};

// out[i][k] = (x[i][kept[k]] - m[k]) / s[k], at most the largest float by magnitude; NaN stays NaN. Rows of x are
// `stride` numbers apart.
void standardise(const double* x, std::size_t n, std::size_t stride, const Columns& columns, float* out);
void standardise(const float* x, std::size_t n, std::size_t stride, const Columns& columns, float* out);

}  // namespace expose::simd

// The loops of expected features: what the features of a row are on average when its coordinates are known only up to
// error bars, x ~ N(row, diag(v)).
//
//   fourier   E cos p = cos <w, row> 2^-q,   q = (2 pi)^2 / 2 log2(e) sum_k w_k^2 v_k   (w in turns; sin alike)
//   gaussian  E 2^-a  = prod_k sqrt(h_k) 2^-sum_k h_k (x_k - z_k)^2,   h_k = 1 / (1 + v_k / s^2)
//
// Coordinates without an error bar add nothing to q and have h = 1: where there are none, the bits are those of
// `project`. Stateless but for a scratch buffer a thread; any number of threads may call them.
#pragma once

#include <cstddef>
#include <span>

#include "expose/base/rows.hpp"
#include "expose/simd/dense.hpp"

namespace expose::simd {

// (2 pi)^2 / 2 log2(e): from the square of a frequency in turns to the exponent of 2 that a variance of 1 costs.
inline constexpr double kDecay = 28.477658649975010;

// decay[j] = q_j of the first map.r entries; columns with v = 0 are not read. REQUIRES: the profile is fourier, v >= 0
void decays(const Dense& map, std::span<const float> variances, float* decay);

// features: [2][r]; each is multiplied by 2^-decay[j] and rounded to the grid again. REQUIRES: decay >= 0
void damp(std::span<const float> decay, float* features);

// One row: features of the profile gaussian. `share` has h_k for each coordinate, `factor` is prod_k sqrt(h_k).
void project_expected(const Dense& map, std::span<const float> row, std::span<const float> share, float factor,
                      float* features);

}  // namespace expose::simd

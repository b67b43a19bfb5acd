// What the random maps share: the mean of (cos, sin) pairs, its metric 1/r, and its form with one cosine a frequency.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "expose/base/math.hpp"
#include "expose/map/feature_map.hpp"
#include "expose/simd/expected.hpp"

namespace expose {

// <phi(x), phi(z)> = (1/r) sum_j cos p_j cos q_j + sin p_j sin q_j
inline std::vector<double> dual_of_circle(std::span<const double> mean) {
  std::vector<double> dual(mean.begin(), mean.end());
  const double r = static_cast<double>(mean.size()) / 2;
  for (double& value : dual) value /= r;
  return dual;
}

// (1/r) (a_j cos p_j + b_j sin p_j) = A_j cos(p_j - theta_j): amplitude A_j, start -theta_j in turns.
// mean is (a_1 .. a_r, b_1 .. b_r); frequency j goes to slot_of(j), the slots between stay 0.
template <class SlotOf>
Folded fold_circle(std::span<const double> mean, std::size_t slots, const SlotOf& slot_of) {
  const std::size_t r = mean.size() / 2;
  Folded folded;
  folded.amplitude.assign(slots, 0.0F);
  folded.start.assign(slots, 0.0F);
  for (std::size_t j = 0; j < r; ++j) {
    const double a = mean[j];
    const double b = mean[r + j];
    folded.amplitude[slot_of(j)] = static_cast<float>(std::sqrt(a * a + b * b) / static_cast<double>(r));
    folded.start[slot_of(j)] = static_cast<float>(-portable::atan2_turns(b, a));
  }
  return folded;
}

// The features of projected rows that have error bars, times exp(-1/2 sum_k w_jk^2 v_k): decays(v, decay) writes the r
// exponents, in powers of two, for one row.
template <class Decays>
void damp_rows(Rows variances, std::size_t r, float* features, const Decays& decays) {
  std::vector<float> decay(r);
  for (std::size_t i = 0; i < variances.n(); ++i) {
    const std::span<const float> v = variances[i];
    if (std::all_of(v.begin(), v.end(), [](float value) { return value == 0; })) continue;
    decays(v, decay.data());
    simd::damp(decay, features + i * 2 * r);
  }
}

}  // namespace expose

#include "expose/simd/expected.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "expose/simd/config.hpp"
#include "expose/simd/scratch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/expected.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// Panels of a tile: with one row, its accumulators hide the latency of the multiply-adds.
inline constexpr std::size_t kTile = 4;

// q_j = sum_k w_jk^2 (kDecay v_k), k ascending, over the columns that have an error bar.
HWY_ATTR void decay_slots(const Dense& map, const std::uint32_t* columns, const float* scaled, std::size_t count,
                          float* decay) {
  for (std::size_t slot = 0; slot < map.slots; slot += N) {
    const float* const w = map.panels.data() + slot / kPanel * kPanel * map.d + slot % kPanel;
    V q = set(0.0F);
    for (std::size_t c = 0; c < count; ++c) {
      const V frequency = load(w + columns[c] * kPanel);
      q = fma(hn::Mul(frequency, frequency), set(scaled[c]), q);
    }
    store(q, decay + slot);
  }
}

HWY_INLINE V damped(V feature, V decay) { return from_grid(bits(fma(feature, exp2_minus(decay), set(3.0F)))); }

// Both halves of the features; what is behind the last whole vector goes through a buffer.
HWY_ATTR void damp_all(const float* decay, std::size_t r, float* features) {
  std::size_t j = 0;
  for (; j + N <= r; j += N) {
    const V q = load(decay + j);
    store(damped(load(features + j), q), features + j);
    store(damped(load(features + r + j), q), features + r + j);
  }
  if (j == r) return;
  HWY_ALIGN float rest[3][N] = {};
  const std::size_t bytes = (r - j) * sizeof(float);
  std::memcpy(rest[0], decay + j, bytes);
  for (std::size_t half = 0; half < 2; ++half) {
    std::memcpy(rest[1], features + half * r + j, bytes);
    store(damped(load(rest[1]), load(rest[0])), rest[2]);
    std::memcpy(features + half * r + j, rest[2], bytes);
  }
}

// a_j = sum_k h_k (x_k - z_jk)^2, k ascending: one row against Q panels (the lanes h .. h + N of each). The order is
// that of `project`, whose bits come out where all shares are 1.
template <std::size_t Q>
HWY_INLINE void tile(const Dense& map, const float* x, const float* share, float factor, std::size_t slot,
                     float* features) {
  constexpr std::size_t C = 2 * Q;
  V a[C];
  EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) a[v] = set(0.0F);
  const float* z = map.panels.data() + slot / kPanel * kPanel * map.d + slot % kPanel;
  for (std::size_t k = 0; k < map.d; ++k, z += kPanel) {
    const V value = set(x[k]);
    const V h = set(share[k]);
    EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
      const V difference = hn::Sub(value, load(z + v / 2 * kPanel * map.d + v % 2 * kLanes));
      a[v] = fma(hn::Mul(h, difference), difference, a[v]);
    }
  }
  EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
    const V feature = hn::Mul(set(factor), exp2_minus(a[v]));
    store(from_grid(bits(hn::Add(feature, set(3.0F)))), features + slot + kLanes * v);
  }
}

HWY_ATTR void project_slots(const Dense& map, const float* x, const float* share, float factor, float* features) {
  std::size_t panel = 0;
  for (; panel + kTile * kPanel <= map.slots; panel += kTile * kPanel) {
    for (std::size_t h = 0; h < kLanes; h += N) tile<kTile>(map, x, share, factor, panel + h, features);
  }
  for (; panel < map.slots; panel += kPanel) {
    for (std::size_t h = 0; h < kLanes; h += N) tile<1>(map, x, share, factor, panel + h, features);
  }
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(decay_slots);
HWY_EXPORT(damp_all);
HWY_EXPORT(project_slots);

void decays(const Dense& map, std::span<const float> variances, float* decay) {
  std::vector<std::uint32_t> columns;
  std::vector<float> scaled;
  for (std::size_t k = 0; k < variances.size(); ++k) {
    if (variances[k] == 0) continue;
    columns.push_back(static_cast<std::uint32_t>(k));
    // Held, for infinity times a frequency of 0 is no number.
    scaled.push_back(std::min(static_cast<float>(kDecay) * variances[k], std::numeric_limits<float>::max()));
  }
  float* const padded = room(scratch().features, map.slots);
  HWY_DYNAMIC_DISPATCH(decay_slots)(map, columns.data(), scaled.data(), columns.size(), padded);
  std::copy_n(padded, map.r, decay);
}

void damp(std::span<const float> decay, float* features) {
  HWY_DYNAMIC_DISPATCH(damp_all)(decay.data(), decay.size(), features);
}

void project_expected(const Dense& map, std::span<const float> row, std::span<const float> share, float factor,
                      float* features) {
  float* const x = room(scratch().rows, map.d);
  for (std::size_t k = 0; k < map.d; ++k) x[k] = map.seen(row[k], k);
  float* const padded = room(scratch().features, map.slots);
  HWY_DYNAMIC_DISPATCH(project_slots)(map, x, share.data(), factor, padded);
  std::copy_n(padded, map.r, features);
}

}  // namespace expose::simd
#endif  // HWY_ONCE

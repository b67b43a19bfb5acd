#include "expose/simd/without.hpp"

#include <algorithm>

#include "expose/simd/config.hpp"
#include "expose/simd/scratch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/without.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// The lanes slot .. slot + N of every feature. terms, behind: [features][N]; lanes: [features][16].
template <bool kFourier>
HWY_INLINE void exchange(const Dense& map, const Without& without, const float* x, std::size_t slot, float* terms,
                         float* behind, float* lanes) {
  const std::size_t features = without.features;
  for (std::size_t g = 0; g < features; ++g) store(set(0.0F), terms + g * N);
  const float* z = map.panels.data() + slot / kPanel * kPanel * map.d + slot % kPanel;
  for (std::size_t k = 0; k < map.d; ++k, z += kPanel) {
    float* const to = terms + without.group[k] * N;
    const V difference = hn::Sub(set(x[k]), load(z));
    store(kFourier ? fma(set(x[k]), load(z), load(to)) : fma(difference, difference, load(to)), to);
  }
  V sum = set(0.0F);
  for (std::size_t g = features; g-- > 0;) {
    store(sum, behind + g * N);
    sum = hn::Add(sum, load(terms + g * N));
  }
  V before = load(without.start.data() + slot);
  for (std::size_t g = 0; g < features; ++g) {
    const std::size_t at = g * map.slots + slot;
    const V a = hn::Add(hn::Add(before, load(behind + g * N)), load(without.exchanged.data() + at));
    float* const to = lanes + g * kLanes + slot % kLanes;
    store(
        fma(load(without.amplitude.data() + at), kFourier ? cos_turns(a) : exp2_minus(hn::Max(a, set(0.0F))), load(to)),
        to);
    before = hn::Add(before, load(terms + g * N));
  }
}

HWY_ATTR void exchange_all(const Dense& map, const Without& without, const float* x, double* eta) {
  float* const work = room(scratch().work, 2 * without.features * N);
  float* const lanes = room(scratch().lanes, without.features * kLanes);
  std::fill_n(lanes, without.features * kLanes, 0.0F);
  for (std::size_t slot = 0; slot < map.slots; slot += N) {
    if (map.profile == Profile::fourier) {
      exchange<true>(map, without, x, slot, work, work + without.features * N, lanes);
    } else {
      exchange<false>(map, without, x, slot, work, work + without.features * N, lanes);
    }
  }
  for (std::size_t g = 0; g < without.features; ++g) eta[g] = static_cast<double>(tree(lanes + g * kLanes));
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(exchange_all);

void similarity_without(const Dense& map, const Without& without, std::span<const float> row, double* eta) {
  float* const x = room(scratch().rows, map.d);
  for (std::size_t k = 0; k < map.d; ++k) {
    x[k] = map.centre.empty() ? std::clamp(row[k], -map.reach, map.reach) : map.seen(row[k], k);
  }
  HWY_DYNAMIC_DISPATCH(exchange_all)(map, without, x, eta);
}

}  // namespace expose::simd
#endif  // HWY_ONCE

#include "expose/simd/dot.hpp"

#include "expose/simd/config.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/dot.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// M models side by side: their chains of multiply-adds hide each other's latency.
template <std::size_t M>
HWY_INLINE void dot_tile(const float* features, const float* matrix, std::size_t size, double* out) {
  HWY_ALIGN float lanes[M][kLanes];
  for (std::size_t h = 0; h < kLanes; h += N) {
    V sum[M];
    EXPOSE_UNROLL for (std::size_t m = 0; m < M; ++m) sum[m] = set(0.0F);
    for (std::size_t j = h; j < size; j += kLanes) {
      const V feature = load(features + j);
      EXPOSE_UNROLL for (std::size_t m = 0; m < M; ++m) sum[m] = fma(feature, load(matrix + m * size + j), sum[m]);
    }
    EXPOSE_UNROLL for (std::size_t m = 0; m < M; ++m) store(sum[m], lanes[m] + h);
  }
  for (std::size_t m = 0; m < M; ++m) out[m] = static_cast<double>(tree(lanes[m]));
}

HWY_ATTR void dot_models(const float* features, const float* matrix, std::size_t models, std::size_t size,
                         double* out) {
  std::size_t m = 0;
  for (; m + 4 <= models; m += 4) dot_tile<4>(features, matrix + m * size, size, out + m);
  for (; m < models; ++m) dot_tile<1>(features, matrix + m * size, size, out + m);
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(dot_models);

void dots(const float* features, const float* matrix, std::size_t models, std::size_t size, double* out) {
  HWY_DYNAMIC_DISPATCH(dot_models)(features, matrix, models, size, out);
}

}  // namespace expose::simd
#endif  // HWY_ONCE

#include "expose/simd/standardise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/standardise.cpp"
#include "expose/simd/config.hpp"

#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// Written for a compiler that vectorizes: with one comparison by magnitude, not two, it sees a loop without branches. A
// NaN fails the comparison and stays.
template <class Number>
HWY_INLINE void standardise_some(const Number* HWY_RESTRICT x, const double* HWY_RESTRICT m,
                                 const double* HWY_RESTRICT s, std::size_t d, float* HWY_RESTRICT out) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (std::size_t k = 0; k < d; ++k) {
    const double z = (static_cast<double>(x[k]) - m[k]) / s[k];
    const double size = std::abs(z);
    out[k] = static_cast<float>(std::copysign(size > kLargest ? kLargest : size, z));
  }
}

inline constexpr std::size_t kLine = 64, kAhead = 4096;  // bytes: of a cache line; how far ahead it is asked for

// A table that keeps all its columns is read straight through; of others, what is kept is first put side by side.
template <class Number>
HWY_INLINE void standardise_rows(const Number* x, std::size_t n, std::size_t stride, const Columns& columns,
                                 float* out) {
  constexpr std::size_t kSome = 64;
  Number some[kSome];
  const std::size_t d = columns.d;
  for (std::size_t i = 0; i < n; ++i, x += stride, out += d) {
    // Rows come from far memory; those after the last one are most likely wanted next.
    for (std::size_t k = 0; k < stride; k += kLine / sizeof(Number)) hwy::Prefetch(x + kAhead / sizeof(Number) + k);
    if (columns.kept == nullptr) {
      standardise_some(x, columns.centre, columns.spread, d, out);
      continue;
    }
    for (std::size_t begin = 0; begin < d; begin += kSome) {
      const std::size_t count = std::min(kSome, d - begin);
      for (std::size_t k = 0; k < count; ++k) some[k] = x[columns.kept[begin + k]];
      standardise_some(some, columns.centre + begin, columns.spread + begin, count, out + begin);
    }
  }
}

HWY_ATTR void standardise_doubles(const double* x, std::size_t n, std::size_t stride, const Columns& columns,
                                  float* out) {
  standardise_rows(x, n, stride, columns, out);
}
HWY_ATTR void standardise_floats(const float* x, std::size_t n, std::size_t stride, const Columns& columns,
                                 float* out) {
  standardise_rows(x, n, stride, columns, out);
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(standardise_doubles);
HWY_EXPORT(standardise_floats);

void standardise(const double* x, std::size_t n, std::size_t stride, const Columns& columns, float* out) {
  HWY_DYNAMIC_DISPATCH(standardise_doubles)(x, n, stride, columns, out);
}
void standardise(const float* x, std::size_t n, std::size_t stride, const Columns& columns, float* out) {
  HWY_DYNAMIC_DISPATCH(standardise_floats)(x, n, stride, columns, out);
}

}  // namespace expose::simd
#endif  // HWY_ONCE

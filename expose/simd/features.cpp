#include "expose/simd/features.hpp"

#include <algorithm>

#include "expose/simd/config.hpp"
#include "expose/simd/scratch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/features.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// lanes[j mod 16] += features[j] dual[j]; what is behind the last whole 16 goes through zeros, which change no lane.
HWY_INLINE float inner_product(const float* features, const float* dual, std::size_t size) {
  HWY_ALIGN float lanes[kLanes];
  HWY_ALIGN float rest[2][kLanes] = {};
  const std::size_t whole = size / kLanes * kLanes;
  std::copy(features + whole, features + size, rest[0]);
  std::copy(dual + whole, dual + size, rest[1]);
  for (std::size_t h = 0; h < kLanes; h += N) {
    V sum = set(0.0F);
    for (std::size_t j = h; j < whole; j += kLanes) sum = fma(load(features + j), load(dual + j), sum);
    store(fma(load(rest[0] + h), load(rest[1] + h), sum), lanes + h);
  }
  return tree(lanes);
}

HWY_ATTR void inner_rows(const float* features, std::size_t rows, std::size_t size, const float* dual, double* eta) {
  for (std::size_t i = 0; i < rows; ++i) eta[i] = static_cast<double>(inner_product(features + i * size, dual, size));
}

// A feature is a whole number of grid units, at most 2^22 and a little, so float to int32 is exact.
HWY_ATTR void add_rows(const float* features, std::size_t rows, std::size_t size, const char* keep,
                       std::int32_t* sums) {
  for (std::size_t i = 0; i < rows; ++i) {
    if (keep != nullptr && keep[i] == 0) continue;
    const float* const row = features + i * size;
    std::size_t j = 0;
    for (; j + N <= size; j += N) {
      const I units = hn::ConvertTo(Ints(), hn::Mul(load(row + j), set(0x1p22F)));
      store(hn::Add(load(sums + j), units), sums + j);
    }
    for (; j < size; ++j) sums[j] += static_cast<std::int32_t>(row[j] * 0x1p22F);
  }
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(inner_rows);
HWY_EXPORT(add_rows);

void inner_products(const float* features, std::size_t rows, std::size_t size, const float* dual, double* eta) {
  HWY_DYNAMIC_DISPATCH(inner_rows)(features, rows, size, dual, eta);
}

void add_features(const float* features, std::size_t rows, std::size_t size, const char* keep, std::int64_t* sums) {
  std::int32_t* const narrow = room(scratch().sums, size);
  for (std::size_t begin = 0; begin < rows; begin += kMaxRows) {
    const std::size_t some = std::min(kMaxRows, rows - begin);
    std::fill_n(narrow, size, 0);
    HWY_DYNAMIC_DISPATCH(add_rows)
    (features + begin * size, some, size, keep == nullptr ? nullptr : keep + begin, narrow);
    for (std::size_t j = 0; j < size; ++j) sums[j] += narrow[j];
  }
}

}  // namespace expose::simd
#endif  // HWY_ONCE

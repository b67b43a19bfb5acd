#include "expose/simd/features.hpp"

#include <algorithm>
#include <cmath>

#include "expose/simd/config.hpp"
#include "expose/simd/scratch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/features.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// lanes[j mod 16] += features[j] dual[j] for M rows side by side: their chains of multiply-adds hide each other's
// latency. What is behind the last whole 16 goes through zeros, which change no lane.
template <std::size_t M>
HWY_INLINE void inner_tile(const float* features, const float* dual, std::size_t size, double* eta) {
  HWY_ALIGN float lanes[M][kLanes];
  HWY_ALIGN float rest[M + 1][kLanes] = {};
  const std::size_t whole = size / kLanes * kLanes;
  for (std::size_t m = 0; m < M; ++m) std::copy(features + m * size + whole, features + m * size + size, rest[m]);
  std::copy(dual + whole, dual + size, rest[M]);
  for (std::size_t h = 0; h < kLanes; h += N) {
    V sum[M];
    EXPOSE_UNROLL for (std::size_t m = 0; m < M; ++m) sum[m] = set(0.0F);
    for (std::size_t j = h; j < whole; j += kLanes) {
      const V weight = load(dual + j);
      EXPOSE_UNROLL for (std::size_t m = 0; m < M; ++m) sum[m] = fma(load(features + m * size + j), weight, sum[m]);
    }
    EXPOSE_UNROLL for (std::size_t m = 0; m < M; ++m) {
      store(fma(load(rest[m] + h), load(rest[M] + h), sum[m]), lanes[m] + h);
    }
  }
  for (std::size_t m = 0; m < M; ++m) eta[m] = static_cast<double>(tree(lanes[m]));
}

HWY_ATTR void inner_rows(const float* features, std::size_t rows, std::size_t size, const float* dual, double* eta) {
  std::size_t i = 0;
  for (; i + 8 <= rows; i += 8) inner_tile<8>(features + i * size, dual, size, eta + i);
  for (; i < rows; ++i) inner_tile<1>(features + i * size, dual, size, eta + i);
}

// sums[j] += the features j of M rows, 1 or an even number. A feature is a whole number of grid units, at most 2^22 and
// a little: so the sum of two is exact in float, and float to int32 is exact.
template <std::size_t M>
HWY_INLINE void add_tile(const float* const* rows, std::size_t size, std::int32_t* sums) {
  const V units = set(0x1p22F);
  std::size_t j = 0;
  for (; j + N <= size; j += N) {
    I sum = load(sums + j);
    EXPOSE_UNROLL for (std::size_t m = 0; m < M; m += 2) {
      V two = load(rows[m] + j);
      if constexpr (M > 1) two = hn::Add(two, load(rows[m + 1] + j));
      sum = hn::Add(sum, hn::ConvertTo(Ints(), hn::Mul(two, units)));
    }
    store(sum, sums + j);
  }
  for (; j < size; ++j) {
    for (std::size_t m = 0; m < M; ++m) sums[j] += static_cast<std::int32_t>(rows[m][j] * 0x1p22F);
  }
}

HWY_ATTR void add_rows(const float* features, std::size_t rows, std::size_t size, const char* keep,
                       std::int32_t* HWY_RESTRICT narrow, std::int64_t* HWY_RESTRICT sums) {
  if (rows == 1 && keep == nullptr) {  // of a stream
    for (std::size_t j = 0; j < size; ++j) sums[j] += static_cast<std::int32_t>(features[j] * 0x1p22F);
    return;
  }
  constexpr std::size_t kTile = 8;
  const float* some[kTile];
  std::size_t kept = 0;
  std::fill_n(narrow, size, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    if (keep != nullptr && keep[i] == 0) continue;
    some[kept++] = features + i * size;
    if (kept < kTile) continue;
    add_tile<kTile>(some, size, narrow);
    kept = 0;
  }
  for (std::size_t m = 0; m < kept; ++m) add_tile<1>(some + m, size, narrow);
  for (std::size_t j = 0; j < size; ++j) sums[j] += narrow[j];
}

HWY_ATTR double watch_row(const float* features, std::size_t size, std::int64_t* sums) {
  HWY_ALIGN double lanes[kLanes] = {};
  const V units = set(0x1p22F);
  const std::size_t whole = size / kLanes * kLanes;
  for (std::size_t h = 0; h < kLanes; h += N) {
    VD cross[kParts];
    load_lanes(lanes + h, cross);
    for (std::size_t j = h; j < whole; j += kLanes) {
      watch_units(hn::ConvertTo(Ints(), hn::Mul(load(features + j), units)), sums + j, cross);
    }
    store_lanes(cross, lanes + h);
  }
  for (std::size_t j = whole; j < size; ++j) {
    const auto unit = static_cast<std::int64_t>(features[j] * 0x1p22F);
    lanes[j - whole] = std::fma(static_cast<double>(unit), static_cast<double>(sums[j]), lanes[j - whole]);
    sums[j] += unit;
  }
  return tree(lanes);
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(inner_rows);
HWY_EXPORT(add_rows);
HWY_EXPORT(watch_row);

void inner_products(const float* features, std::size_t rows, std::size_t size, const float* dual, double* eta) {
  HWY_DYNAMIC_DISPATCH(inner_rows)(features, rows, size, dual, eta);
}

void add_features(const float* features, std::size_t rows, std::size_t size, const char* keep, std::int64_t* sums) {
  std::int32_t* const narrow = room(scratch().sums, size);
  for (std::size_t begin = 0; begin < rows; begin += kMaxRows) {
    const std::size_t some = std::min(kMaxRows, rows - begin);
    HWY_DYNAMIC_DISPATCH(add_rows)
    (features + begin * size, some, size, keep == nullptr ? nullptr : keep + begin, narrow, sums);
  }
}

double watch(const float* features, std::size_t size, std::int64_t* sums) {
  return HWY_DYNAMIC_DISPATCH(watch_row)(features, size, sums);
}

}  // namespace expose::simd
#endif  // HWY_ONCE

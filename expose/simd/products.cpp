#include "expose/simd/products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/products.cpp"
#include "expose/simd/config.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

using HalfFloats = hn::Rebind<float, Doubles>;
inline constexpr std::size_t kVectors = kLanes / kWidth;

// ---- where w comes from ----

struct Mean {
  const double* w;
  HWY_INLINE VD vector(std::size_t j) const { return hn::LoadU(Doubles(), w + j); }
  HWY_INLINE double number(std::size_t j) const { return w[j]; }
};
struct Sum {
  const std::int64_t* sums;
  double unit;
  HWY_INLINE VD vector(std::size_t j) const {
    return hn::Mul(hn::ConvertTo(Doubles(), hn::LoadU(Longs(), sums + j)), hn::Set(Doubles(), unit));
  }
  HWY_INLINE double number(std::size_t j) const { return static_cast<double>(sums[j]) * unit; }
};

// ---- the sums ----

template <class Source>
HWY_INLINE Products products_of(const float* features, const Source& source, std::size_t size) {
  VD cross[kVectors], square[kVectors];
  EXPOSE_UNROLL for (std::size_t v = 0; v < kVectors; ++v) cross[v] = square[v] = hn::Zero(Doubles());
  const std::size_t whole = size / kLanes * kLanes;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    EXPOSE_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      const VD w = source.vector(j + v * kWidth);
      const VD phi = hn::PromoteTo(Doubles(), hn::LoadU(HalfFloats(), features + j + v * kWidth));
      cross[v] = hn::Add(cross[v], hn::Mul(phi, w));
      square[v] = hn::Add(square[v], hn::Mul(w, w));
    }
  }
  HWY_ALIGN double lanes[2][kLanes];
  EXPOSE_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(cross[v], Doubles(), lanes[0] + v * kWidth);
    hn::StoreU(square[v], Doubles(), lanes[1] + v * kWidth);
  }
  for (std::size_t j = whole; j < size; ++j) {
    const double w = source.number(j);
    lanes[0][j - whole] += static_cast<double>(features[j]) * w;
    lanes[1][j - whole] += w * w;
  }
  return {tree(lanes[0]), tree(lanes[1])};
}

HWY_ATTR Products mean_products(const float* features, const double* w, std::size_t size) {
  return products_of(features, Mean{w}, size);
}
HWY_ATTR Products sum_products(const float* features, const std::int64_t* sums, double unit, std::size_t size) {
  return products_of(features, Sum{sums, unit}, size);
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(mean_products);
HWY_EXPORT(sum_products);

Products products(const float* features, const double* w, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(mean_products)(features, w, size);
}
Products products(const float* features, const std::int64_t* sums, double unit, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(sum_products)(features, sums, unit, size);
}

}  // namespace expose::simd
#endif  // HWY_ONCE

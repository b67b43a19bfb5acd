#include "expose/simd/pairs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/pairs.cpp"
#include "expose/simd/config.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

using PairDoubles = hn::CappedTag<double, kPairRows>;
inline constexpr std::size_t kPairWidth = hn::MaxLanes(PairDoubles());
inline constexpr std::size_t kPartialSums = 8;

template <Distance K>
HWY_INLINE void row_to_others(const double* x, const double* others, std::size_t columns, double* sums) {
  const PairDoubles tag;
  for (std::size_t h = 0; h < kPairRows; h += kPairWidth) {
    hn::Vec<PairDoubles> partial[kPartialSums];
    EXPOSE_UNROLL for (std::size_t l = 0; l < kPartialSums; ++l) partial[l] = hn::Zero(tag);
    for (std::size_t k = 0; k < columns; k += kPartialSums) {
      EXPOSE_UNROLL for (std::size_t l = 0; l < kPartialSums; ++l) {
        const auto z = hn::LoadU(tag, others + (k + l) * kPairRows + h);
        const auto difference = hn::Sub(hn::Set(tag, x[k + l]), z);
        const auto term = K == Distance::squared ? hn::Mul(difference, difference) : hn::Abs(difference);
        partial[l] = hn::Add(partial[l], term);
      }
    }
    auto sum = partial[0];
    EXPOSE_UNROLL for (std::size_t l = 1; l < kPartialSums; ++l) sum = hn::Add(sum, partial[l]);
    hn::StoreU(sum, tag, sums + h);
  }
}

HWY_ATTR void rows_to_others(Distance distance, const double* rows, std::size_t n, const double* others,
                             std::size_t columns, double* sums) {
  for (std::size_t i = 0; i < n; ++i, rows += columns, sums += kPairRows) {
    if (distance == Distance::squared) {
      row_to_others<Distance::squared>(rows, others, columns, sums);
    } else {
      row_to_others<Distance::absolute>(rows, others, columns, sums);
    }
  }
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(rows_to_others);

void sums_of_pairs(Distance distance, const double* rows, std::size_t n, const double* others, std::size_t columns,
                   double* sums) {
  HWY_DYNAMIC_DISPATCH(rows_to_others)(distance, rows, n, others, columns, sums);
}

}  // namespace expose::simd
#endif  // HWY_ONCE

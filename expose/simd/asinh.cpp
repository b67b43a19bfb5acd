#include "expose/simd/asinh.hpp"

#include "expose/simd/config.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/asinh.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// Below this the polynomial, from here on the logarithm, whose argument is rounded and so needs a result well above 0.
inline constexpr float kNear = 0.75F;

// asinh a = a + a^3 P(a^2) on 0 <= a <= 3/4. P is minimax (Remez) for the relative error, 8e-9 before rounding; so
// tiny a come out as they went in.
HWY_INLINE V asinh_near(V a) {
  const V u = hn::Mul(a, a);
  V p = fma(set(0.00467732036F), u, set(-0.015332533F));
  p = fma(p, u, set(0.0281457771F));
  p = fma(p, u, set(-0.0442602187F));
  p = fma(p, u, set(0.0749689713F));
  p = fma(p, u, set(-0.166665822F));
  return fma(hn::Mul(a, u), p, a);
}

// log(2 h) for h >= 1/2: h = 2^k (1 + f) with 1 + f in [2/3, 4/3), log(2 h) = (k + 1) log 2 + f + f^2 Q(f).
// Q is minimax for the absolute error, 6e-9 before rounding; 2^k comes off exactly.
HWY_INLINE V log_twice(V h) {
  const I two_thirds = hn::Set(Ints(), 0x3f2aaaab);
  const I k = hn::ShiftRight<23>(hn::Sub(bits(h), two_thirds));
  const V f = hn::Sub(hn::BitCast(Floats(), hn::Sub(bits(h), hn::ShiftLeft<23>(k))), set(1.0F));
  V q = fma(set(0.14583385F), f, set(-0.156272173F));
  q = fma(q, f, set(0.138674542F));
  q = fma(q, f, set(-0.163657069F));
  q = fma(q, f, set(0.200204119F));
  q = fma(q, f, set(-0.250109851F));
  q = fma(q, f, set(0.333329946F));
  q = fma(q, f, set(-0.499998808F));
  const V log_of_rest = fma(hn::Mul(f, f), q, f);
  const V twos = hn::Add(hn::ConvertTo(Floats(), k), set(1.0F));
  return fma(twos, set(0.693147182F), log_of_rest);
}

// asinh a = log(2 h), h = (a + sqrt(a^2 + 1)) / 2. From 2^12 on the root is a itself; held at 2^32 before it is
// squared, nothing overflows, and neither does h.
HWY_INLINE V asinh_far(V a) {
  const V held = hn::Min(a, set(0x1p32F));
  const V root = hn::Max(a, hn::Sqrt(fma(held, held, set(1.0F))));
  return log_twice(fma(a, set(0.5F), hn::Mul(root, set(0.5F))));
}

HWY_INLINE V asinh(V x) {
  const V a = hn::Abs(x);
  // A NaN is not >= kNear and passes through the polynomial.
  return hn::CopySign(hn::IfThenElse(hn::Ge(a, set(kNear)), asinh_far(a), asinh_near(a)), x);
}

HWY_ATTR void asinh_all(float* values, std::size_t count) {
  std::size_t i = 0;
  for (; i + N <= count; i += N) store(asinh(load(values + i)), values + i);
  if (i == count) return;
  HWY_ALIGN float last[N] = {};
  for (std::size_t j = i; j < count; ++j) last[j - i] = values[j];
  store(asinh(load(last)), last);
  for (std::size_t j = i; j < count; ++j) values[j] = last[j - i];
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(asinh_all);

void asinh_in_place(float* values, std::size_t count) { HWY_DYNAMIC_DISPATCH(asinh_all)(values, count); }

}  // namespace expose::simd
#endif  // HWY_ONCE

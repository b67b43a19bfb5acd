// The vocabulary of the inner loops, compiled once a target: vectors, fused multiply-add, cosine, power of two, and
// the grid. Included by the .cpp files of this room only.
//
// Law 1 (one answer) lives here: every operation below is either exact, or rounded once as IEEE 754 says, in an order
// that is written down. fma is fused on every target; nothing else is (-ffp-contract=off).

#if defined(EXPOSE_SIMD_LANES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXPOSE_SIMD_LANES_INL_HPP_
#undef EXPOSE_SIMD_LANES_INL_HPP_
#else
#define EXPOSE_SIMD_LANES_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include "expose/simd/config.hpp"
#include "expose/simd/fused.hpp"

#include <hwy/highway.h>

// Tiles must be unrolled to live in registers. Where multiply-add is emulated, and under the sanitizers, that would
// only cost compile time.
#undef EXPOSE_UNROLL
#if !HWY_NATIVE_FMA || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EXPOSE_UNROLL
#elif defined(__clang__)
#define EXPOSE_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define EXPOSE_UNROLL _Pragma("GCC unroll 16")
#else
#define EXPOSE_UNROLL
#endif

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLanes>;
using Ints = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;
using I = hn::Vec<Ints>;

inline constexpr std::size_t N = hn::MaxLanes(Floats());  // real lanes

HWY_INLINE V set(float x) { return hn::Set(Floats(), x); }
HWY_INLINE V load(const float* p) { return hn::LoadU(Floats(), p); }
HWY_INLINE void store(V v, float* p) { hn::StoreU(v, Floats(), p); }
HWY_INLINE I load(const std::int32_t* p) { return hn::LoadU(Ints(), p); }
HWY_INLINE void store(I v, std::int32_t* p) { hn::StoreU(v, Ints(), p); }
HWY_INLINE I bits(V v) { return hn::BitCast(Ints(), v); }

#if HWY_NATIVE_FMA
HWY_INLINE V fma(V a, V b, V c) { return hn::MulAdd(a, b, c); }
HWY_INLINE V negative_fma(V a, V b, V c) { return hn::NegMulAdd(a, b, c); }
#else
// Highway would multiply, round and add here: other bits. So: one lane at a time, rounded once.
static HWY_NOINLINE HWY_MAYBE_UNUSED V fma(V a, V b, V c) {
  HWY_ALIGN float x[N];
  HWY_ALIGN float y[N];
  HWY_ALIGN float z[N];
  store(a, x);
  store(b, y);
  store(c, z);
  for (std::size_t i = 0; i < N; ++i) x[i] = fused(x[i], y[i], z[i]);
  return load(x);
}
HWY_INLINE V negative_fma(V a, V b, V c) { return fma(hn::Neg(a), b, c); }
#endif

// Bits of 3 + f (config.hpp) back to the feature f, exactly.
HWY_INLINE V from_grid(I grid_bits) {
  const I units = hn::Sub(grid_bits, hn::Set(Ints(), kThree));
  return hn::Mul(hn::ConvertTo(Floats(), units), set(0x1p-22F));
}

// ---- cosine and sine of a phase in turns ----
// Whole turns drop out exactly. Polynomials in u = t^2 on |t| <= 1/2 are minimax (Remez, coefficients then rounded to
// float).
HWY_INLINE V fraction(V p) { return hn::Sub(p, hn::Round(p)); }

// cos(2 pi p), absolute error 8e-7
HWY_INLINE V cos_turns(V p) {
  const V t = fraction(p);
  const V u = hn::Mul(t, t);
  V c = fma(set(-21.0767822F), u, set(58.7940407F));
  c = fma(c, u, set(-85.2723999F));
  c = fma(c, u, set(64.9287262F));
  c = fma(c, u, set(-19.7389832F));
  return fma(c, u, set(0.999999225F));
}

// cos and sin of 2 pi p on the grid. By half angles, with sqrt(2) folded into the polynomials:
// s = sqrt(2) sin(pi t), c = sqrt(2) cos(pi t), so 3 + cos(2 pi t) = 4 - s^2 and 3 + sin(2 pi t) = 3 + s c,
// and the multiply-add that makes the feature also rounds it.
HWY_INLINE void circle(V p, I& cos_bits, I& sin_bits) {
  const V t = fraction(p);
  const V u = hn::Mul(t, t);
  V a = fma(set(0.109261654F), u, set(-0.845797122F));
  a = fma(a, u, set(3.60629582F));
  a = fma(a, u, set(-7.30824184F));
  a = fma(a, u, set(4.44288301F));
  V c = fma(set(0.310698181F), u, set(-1.88356304F));
  c = fma(c, u, set(5.73946095F));
  c = fma(c, u, set(-6.97885084F));
  c = fma(c, u, set(1.41421354F));
  const V s = hn::Mul(t, a);
  cos_bits = bits(negative_fma(s, s, set(4.0F)));
  sin_bits = bits(fma(s, c, set(3.0F)));
}

// ---- 2^q for q <= 0 ----
// q is held in [-60, 0]: rounding can lift it above 0, and what is below 2^-60 is nothing beside the grid.
// 2^q = 2^k 2^f, |f| <= 1/2, relative error 8e-8. Adding 1.5 2^23 + 127 leaves the exponent k + 127 in the low bits.
HWY_INLINE V exp2_held(V q) {
  q = hn::Min(hn::Max(q, set(-60.0F)), set(0.0F));
  const V k = hn::Round(q);
  const V f = hn::Sub(q, k);
  V m = fma(set(0.00132764725F), f, set(0.00967554096F));
  m = fma(m, f, set(0.0555071309F));
  m = fma(m, f, set(0.240221202F));
  m = fma(m, f, set(0.693146944F));
  m = fma(m, f, set(1.00000012F));
  const I exponent = bits(hn::Add(k, set(12583039.0F)));
  return hn::Mul(m, hn::BitCast(Floats(), hn::ShiftLeft<23>(exponent)));
}

// ---- the sixteen virtual lanes ----
// Their sum as a fixed tree: lane l with l + 8, then l + 4, l + 2, l + 1.
HWY_INLINE float tree(const float* lanes) {
  float t[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) t[l] = lanes[l];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) t[l] = t[l] + t[l + half];
  }
  return t[0];
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // EXPOSE_SIMD_LANES_INL_HPP_

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

#include <cmath>
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

// Doubles and 64-bit integers, in vectors of the same size: kParts of them have the lanes of one V.
using Doubles = hn::CappedTag<double, kLanes>;
using Longs = hn::RebindToSigned<Doubles>;
using VD = hn::Vec<Doubles>;
inline constexpr std::size_t kWidth = hn::MaxLanes(Doubles());
inline constexpr std::size_t kParts = N / kWidth;

HWY_INLINE V set(float x) { return hn::Set(Floats(), x); }
HWY_INLINE V load(const float* p) { return hn::LoadU(Floats(), p); }
HWY_INLINE void store(V v, float* p) { hn::StoreU(v, Floats(), p); }
HWY_INLINE I load(const std::int32_t* p) { return hn::LoadU(Ints(), p); }
HWY_INLINE void store(I v, std::int32_t* p) { hn::StoreU(v, Ints(), p); }
HWY_INLINE I bits(V v) { return hn::BitCast(Ints(), v); }

#if HWY_NATIVE_FMA
HWY_INLINE V fma(V a, V b, V c) { return hn::MulAdd(a, b, c); }
HWY_INLINE VD fma(VD a, VD b, VD c) { return hn::MulAdd(a, b, c); }
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
static HWY_NOINLINE HWY_MAYBE_UNUSED VD fma(VD a, VD b, VD c) {
  HWY_ALIGN double x[kWidth];
  HWY_ALIGN double y[kWidth];
  HWY_ALIGN double z[kWidth];
  hn::StoreU(a, Doubles(), x);
  hn::StoreU(b, Doubles(), y);
  hn::StoreU(c, Doubles(), z);
  for (std::size_t i = 0; i < kWidth; ++i) x[i] = std::fma(x[i], y[i], z[i]);
  return hn::LoadU(Doubles(), x);
}
#endif

// z - x, the number x in all lanes. AVX-512 can broadcast an operand from memory at no cost; compilers would rather
// load it once into a register for several subtractions, an instruction that competes with the multiply-adds around it
// (on Zen 4: 1.45 instead of 1 cycle for a subtraction and a multiply-add).
HWY_INLINE V minus_broadcast(V z, const float* x) {
#if HWY_TARGET == HWY_AVX3 && defined(__GNUC__)
  V difference;
  asm("vsubps %2%{1to16%}, %1, %0" : "=v"(difference.raw) : "v"(z.raw), "m"(*x));
  return difference;
#else
  return hn::Sub(z, set(*x));
#endif
}

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

// ---- 2^-a for a >= 0 ----
// a is held at 60: what is below 2^-60 is nothing beside the grid. a = k + f, |f| <= 1/2, and 2^-f has a relative error
// of 8e-8. Adding 1.5 2^23 leaves k in the low bits; taken from the exponent of 2^-f they divide it by 2^k, exactly.
// Floats that are not negative are in the order of their bits, so the smaller one is found among integers: that, unlike
// Min, leaves the units free that multiply.
HWY_INLINE V exp2_minus(V a) {
  const V held = hn::BitCast(Floats(), hn::Min(bits(a), bits(set(60.0F))));
  const V k = hn::Round(held);
  const V f = hn::Sub(k, held);
  V m = fma(set(0.00132764725F), f, set(0.00967554096F));
  m = fma(m, f, set(0.0555071309F));
  m = fma(m, f, set(0.240221202F));
  m = fma(m, f, set(0.693146944F));
  m = fma(m, f, set(1.00000012F));
  const I exponent = hn::ShiftLeft<23>(bits(hn::Add(k, set(12582912.0F))));
  return hn::BitCast(Floats(), hn::Sub(bits(m), exponent));
}

// ---- sums ----
// sums_j += narrow_j, grid bits (config.hpp) of so many rows, in units. Written for a compiler that vectorizes.
HWY_INLINE void add_units(const std::int32_t* HWY_RESTRICT narrow, std::size_t size, std::size_t rows,
                          std::int64_t* HWY_RESTRICT sums) {
  for (std::size_t j = 0; j < size; ++j) sums[j] += grid_units(narrow[j], rows);
}

// A row of a stream: cross += units_j sums_j, then sums_j += units_j.
HWY_INLINE void watch_part(hn::Vec<Longs> units, VD real_units, std::int64_t* sums, VD& cross) {
  const auto before = hn::LoadU(Longs(), sums);
  VD sum = fma(real_units, hn::ConvertTo(Doubles(), before), cross);
#if HWY_TARGET == HWY_AVX3 && defined(__GNUC__)
  asm volatile("" : "+v"(sum.raw) : : "memory");  // now: compilers would spill the factors and multiply later
#endif
  cross = sum;
  hn::StoreU(hn::Add(before, units), Longs(), sums);
}
HWY_INLINE void watch_units(I units, std::int64_t* sums, VD (&cross)[kParts]) {
#if HWY_TARGET == HWY_SCALAR
  watch_part(hn::PromoteTo(Longs(), units), hn::PromoteTo(Doubles(), units), sums, cross[0]);
#else
  const hn::Half<Ints> half;
  const auto low = hn::LowerHalf(half, units);
  const auto high = hn::UpperHalf(half, units);
  watch_part(hn::PromoteTo(Longs(), low), hn::PromoteTo(Doubles(), low), sums, cross[0]);
  watch_part(hn::PromoteTo(Longs(), high), hn::PromoteTo(Doubles(), high), sums + kWidth, cross[1]);
#endif
}
HWY_INLINE void watch_grid(I grid_bits, std::int64_t* sums, VD (&cross)[kParts]) {
#if HWY_TARGET == HWY_AVX3
  // Grid bits are positive: a permutation that leaves zeros widens them in one step, where a conversion takes two.
  const auto three = hn::Set(Longs(), kThree);
  EXPOSE_UNROLL for (std::size_t i = 0; i < kParts; ++i) {
    const auto order = hn::Iota(Longs(), static_cast<std::int64_t>(i * kWidth));
    const hn::Vec<Longs> wide{_mm512_maskz_permutexvar_epi32(0x5555, order.raw, grid_bits.raw)};
    const auto units = hn::Sub(wide, three);
    watch_part(units, hn::ConvertTo(Doubles(), units), sums + i * kWidth, cross[i]);
  }
#else
  watch_units(hn::Sub(grid_bits, hn::Set(Ints(), kThree)), sums, cross);
#endif
}

// ---- the sixteen virtual lanes ----
HWY_INLINE void load_lanes(const double* lanes, VD (&v)[kParts]) {
  EXPOSE_UNROLL for (std::size_t i = 0; i < kParts; ++i) v[i] = hn::LoadU(Doubles(), lanes + i * kWidth);
}
HWY_INLINE void store_lanes(const VD (&v)[kParts], double* lanes) {
  EXPOSE_UNROLL for (std::size_t i = 0; i < kParts; ++i) hn::StoreU(v[i], Doubles(), lanes + i * kWidth);
}
// Their sum as a fixed tree: lane l with l + 8, then l + 4, l + 2, l + 1.
template <std::size_t Half>
HWY_INLINE void add_halves(const float* from, float* to) {
  const hn::CappedTag<float, Half> some;
  for (std::size_t l = 0; l < Half; l += hn::MaxLanes(some)) {
    hn::StoreU(hn::Add(hn::LoadU(some, from + l), hn::LoadU(some, from + l + Half)), some, to + l);
  }
}
HWY_INLINE float tree(const float* lanes) {
  HWY_ALIGN float t[kLanes / 2];
  add_halves<8>(lanes, t);
  add_halves<4>(t, t);
  return (t[0] + t[2]) + (t[1] + t[3]);
}
HWY_INLINE double tree(double* lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // EXPOSE_SIMD_LANES_INL_HPP_

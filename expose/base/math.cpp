#include "expose/base/math.hpp"

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(__FAST_MATH__)
#error "law 1: -ffast-math lets the compiler change results"
#endif
static_assert(std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0,
              "law 1: doubles must be IEEE 754 and rounded after each operation");

namespace expose::portable {
namespace {

// ln 2 = 0.69314718055994530941723212..., split (Cody and Waite) so that k * kLn2High is exact for |k| < 2^21: the
// first 32 bits, then the rest rounded to a double.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kOneOverLn2 = 0x1.71547652b82fep+0;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr double kTwoPi = 0x1.921fb54442d18p+2;
constexpr double kOneOverTwoPi = 0x1.45f306dc9c883p-3;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// c_0 + c_1 x + c_2 x^2 + ..., by Horner's rule; without a loop, so that loops around it can become vector code.
template <std::size_t I = 0, std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
  if constexpr (I + 1 == N) {
    return c[I];
  } else {
    return polynomial<I + 1>(c, x) * x + c[I];
  }
}

// 2^k, for -1022 <= k <= 1023.
double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

// N coefficients of a Taylor series: 1/n! for n = first, first + step, ...; signs + - + - where step is 2 (sine,
// cosine), all + where it is 1 (exp).
template <std::size_t N>
constexpr std::array<double, N> inverse_factorials(int first, int step) {
  std::array<double, N> c{};
  double factorial = 1.0;  // exact up to 22!
  int n = 1;
  for (std::size_t i = 0; i < N; ++i) {
    for (; n <= first + static_cast<int>(i) * step; ++n) factorial *= n;
    c[i] = (step == 2 && i % 2 == 1 ? -1.0 : 1.0) / factorial;
  }
  return c;
}

constexpr std::array<double, 12> kLogSeries = {1.0,        1.0 / 3.0,  1.0 / 5.0,  1.0 / 7.0,  1.0 / 9.0,  1.0 / 11.0,
                                               1.0 / 13.0, 1.0 / 15.0, 1.0 / 17.0, 1.0 / 19.0, 1.0 / 21.0, 1.0 / 23.0};
constexpr auto kExpSeries = inverse_factorials<12>(2, 1);  // 1/2!, 1/3!, ..., 1/13!

// sin a = a - a^3/3! + ... + a^17/17! for a = 2 pi t, 0 <= t <= 1/8. The next term is below 1e-19.
double sin_first_octant(double t) {
  static constexpr auto kSeries = inverse_factorials<8>(3, 2);  // 1/3!, -1/5!, ..., -1/17!
  const double a = kTwoPi * t;
  const double square = a * a;
  return a - a * square * polynomial(kSeries, square);
}

// cos a = 1 - a^2/2! + ... + a^16/16! for a = 2 pi t, 0 <= t <= 1/8. The next term is below 1e-17.
double cos_first_octant(double t) {
  static constexpr auto kSeries = inverse_factorials<8>(2, 2);  // 1/2!, -1/4!, ..., -1/16!
  const double a = kTwoPi * t;
  const double square = a * a;
  return 1.0 - square * polynomial(kSeries, square);
}

// Both for 0 <= t <= 1/4. 1/4 - t is exact where it is used, as are the differences in the functions that call these:
// the difference of two doubles within a factor of 2 is a double (Sterbenz).
double sin_first_quarter(double t) { return t > 0.125 ? cos_first_octant(0.25 - t) : sin_first_octant(t); }
double cos_first_quarter(double t) { return t > 0.125 ? sin_first_octant(0.25 - t) : cos_first_octant(t); }

// atan(z) / (2 pi) for 0 <= z <= 1, with c the multiple of 1/8 next to z:
//   atan z = atan c + atan w,   w = (z - c) / (1 + z c),   |w| <= 1/16,
//   atan w = w - w^3/3 + ... + w^13/13. The next term is below 1e-19.
double atan_turns(double z) {
  // atan(i / 8) / (2 pi), computed with 300 bits and rounded.
  static constexpr std::array<double, 9> kAtanOfEighths = {
      0.0,
      0x1.4444750777668p-6,
      0x1.3f670b6bdc73dp-5,
      0x1.d3c3a482f3ab5p-5,
      0x1.2e4051d9df308p-4,
      0x1.6c266f6edfc1ep-4,
      0x1.a37f5c4c419efp-4,
      0x1.d49ab3ac8b1bbp-4,
      0.125,
  };
  static constexpr std::array<double, 7> kSeries = {1.0,       -1.0 / 3.0,  1.0 / 5.0, -1.0 / 7.0,
                                                    1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0};
  const double eighths = std::floor(8.0 * z + 0.5);
  const double c = 0.125 * eighths;
  const double w = (z - c) / (1.0 + z * c);
  return kAtanOfEighths[static_cast<std::size_t>(eighths)] + kOneOverTwoPi * w * polynomial(kSeries, w * w);
}

}  // namespace

// x = 2^k m with sqrt(1/2) < m <= sqrt(2), log x = k ln 2 + log m, and with s = (m - 1) / (m + 1), |s| < 0.1716:
//   log m = 2 atanh s = 2 s (1 + s^2/3 + s^4/5 + ... + s^22/23). The next term is below 1e-19 of the first.
// m - 1 is exact, so nothing is lost near x = 1.
double log(double x) {
  if (!(x >= 0.0)) return kNaN;
  if (x == 0.0) return -kInfinity;
  if (x == kInfinity) return kInfinity;
  int k = 0;
  if (x < 0x1p-1022) {  // subnormal: its exponent bits say nothing until it is scaled up
    x *= 0x1p54;
    k = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > kSqrt2) {
    m *= 0.5;
    ++k;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double log_m = 2.0 * s * polynomial(kLogSeries, s * s);
  return k * kLn2High + (k * kLn2Low + log_m);
}

// x = k ln 2 + r with k whole and |r| < 0.3466: e^x = 2^k e^r,
//   e^r = 1 + r + r^2/2! + ... + r^13/13!. The next term is below 1e-17.
double exp(double x) {
  if (x > 710.0) return kInfinity;
  if (x < -746.0) return 0.0;
  if (x != x) return kNaN;
  const double k = std::floor(x * kOneOverLn2 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  const double e_r = 1.0 + (r + r * r * polynomial(kExpSeries, r));
  // In two halves, since 2^k alone may be out of range. Only the second product can round (to a subnormal) or overflow.
  const int half = static_cast<int>(k) / 2;
  return e_r * power_of_two(half) * power_of_two(static_cast<int>(k) - half);
}

// As log does for a normal x above 0; what is compared there are bits here, since compilers make branches of ?:.
void log_all(std::span<double> values) {
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff, kOne = 0x3ff0000000000000;
  for (double& x : values) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t m_bits = (bits & kMantissa) | kOne;
    const std::uint64_t above = (std::bit_cast<std::uint64_t>(kSqrt2) - m_bits) >> 63;  // 1 if m > sqrt(2)
    const double m = std::bit_cast<double>(m_bits - (above << 52));
    // 2^52 + e is a double whose last bits are e.
    const double k = std::bit_cast<double>(((bits >> 52) + above) | 0x4330000000000000) - (0x1p52 + 1023);
    const double s = (m - 1.0) / (m + 1.0);
    const double log_m = 2.0 * s * polynomial(kLogSeries, s * s);
    x = k * kLn2High + (k * kLn2Low + log_m);
  }
}

// As exp does for x <= 0, likewise. Numbers below -746 run through it with any result and become 0.
void exp_all(std::span<double> values) {
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  constexpr double kWhole = 0x1.8p52;  // added and taken away again, it leaves the nearest whole number
  for (double& x : values) {
    const double t = x * kOneOverLn2 + 0.5;
    const double shifted = t + kWhole;
    const double nearest = shifted - kWhole;
    const std::uint64_t over = std::bit_cast<std::uint64_t>(t - nearest) >> 63;  // 1 if nearest > t
    const double k = nearest - std::bit_cast<double>((0 - over) & kOne);         // floor(t)
    const std::uint64_t minus_k = std::bit_cast<std::uint64_t>(kWhole) - std::bit_cast<std::uint64_t>(shifted) + over;
    const double r = (x - k * kLn2High) - k * kLn2Low;
    const double e_r = 1.0 + (r + r * r * polynomial(kExpSeries, r));
    const std::uint64_t half = minus_k >> 1;
    const double e_x =
        e_r * std::bit_cast<double>((1023 - half) << 52) * std::bit_cast<double>((1023 - (minus_k - half)) << 52);
    const std::uint64_t stays = (std::bit_cast<std::uint64_t>(x + 746.0) >> 63) - 1;  // no bit if x < -746
    x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(e_x) & stays);
  }
}

double cos_turns(double t) {
  t = std::fabs(t - std::trunc(t));  // the cosine is even
  if (t > 0.5) t = 1.0 - t;
  return t > 0.25 ? -cos_first_quarter(0.5 - t) : cos_first_quarter(t);
}

double sin_turns(double t) {
  const double part = t - std::trunc(t);
  t = std::fabs(part);
  const double sign = (part < 0.0) != (t > 0.5) ? -1.0 : 1.0;
  if (t > 0.5) t = 1.0 - t;
  return sign * sin_first_quarter(t > 0.25 ? 0.5 - t : t);
}

double tan_turns(double t) { return sin_turns(t) / cos_turns(t); }

double atan2_turns(double y, double x) {
  if (x != x || y != y) return kNaN;
  const double up = std::fabs(y);
  const double across = std::fabs(x);
  if (up == 0.0 && across == 0.0) return 0.0;
  // Both may be infinite: then, as when they are equal, the point is on the diagonal.
  const double ratio = up == across ? 1.0 : up < across ? up / across : across / up;
  double turns = atan_turns(ratio);
  if (up > across) turns = 0.25 - turns;
  if (x < 0.0) turns = 0.5 - turns;
  // A hair below the negative axis rounds to the axis itself, which lies at +1/2.
  return y < 0.0 && turns < 0.5 ? -turns : turns;
}

}  // namespace expose::portable

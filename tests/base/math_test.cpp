#include "expose/base/math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "expose/base/hash.hpp"

namespace expose::portable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr long double kPi = 3.141592653589793238462643383279502884L;

// n + 1 points from a to b, both included.
std::vector<double> grid(double a, double b, int n = 20'000) {
  std::vector<double> points;
  for (int i = 0; i <= n; ++i) points.push_back(a + (b - a) * i / n);
  return points;
}

// a, a q, a q^2, ... up to b: every size of number.
std::vector<double> ladder(double a, double b, double q = 1.01) {
  std::vector<double> points;
  for (double x = a; x < b; x *= q) points.push_back(x);
  return points;
}

using Function = std::function<double(double)>;
using Oracle = std::function<long double(long double)>;

double worst_absolute(const std::vector<double>& points, const Function& f, const Oracle& truth) {
  long double worst = 0;
  for (const double x : points) worst = std::max(worst, std::fabs(f(x) - truth(x)));
  return static_cast<double>(worst);
}

double worst_relative(const std::vector<double>& points, const Function& f, const Oracle& truth) {
  long double worst = 0;
  for (const double x : points) {
    const long double y = truth(x);
    worst = std::max(worst, std::fabs(y == 0 ? static_cast<long double>(f(x)) : (f(x) - y) / y));
  }
  return static_cast<double>(worst);
}

long double true_log(long double x) { return std::log(x); }
long double true_exp(long double x) { return std::exp(x); }
long double true_cos(long double t) { return std::cos(2 * kPi * t); }
long double true_sin(long double t) { return std::sin(2 * kPi * t); }
long double true_tan(long double t) { return std::tan(2 * kPi * t); }

TEST(Log, AgreesWithTheLibrary) {
  EXPECT_LT(worst_relative(ladder(1e-300, 1e300), log, true_log), 1e-15);
  EXPECT_LT(worst_relative(grid(0.5, 2.0), log, true_log), 1e-15);
}

// Where log x is about x - 1, its own digits must be right, not only those of x.
TEST(Log, KeepsItsDigitsNearOne) {
  for (const double distance : ladder(0x1p-52, 0.1)) {
    const double above = 1.0 + distance;
    const double below = 1.0 - distance;
    EXPECT_NEAR(log(above) / static_cast<double>(std::log1p(static_cast<long double>(above) - 1)), 1.0, 1e-15);
    EXPECT_NEAR(log(below) / static_cast<double>(std::log1p(static_cast<long double>(below) - 1)), 1.0, 1e-15);
  }
}

TEST(Log, KnowsItsEdges) {
  EXPECT_EQ(log(1.0), 0.0);
  EXPECT_EQ(log(0.0), -kInfinity);
  EXPECT_EQ(log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log(-1.0)));
  EXPECT_TRUE(std::isnan(log(-kInfinity)));
  EXPECT_TRUE(std::isnan(log(kNaN)));
  EXPECT_NEAR(log(0x1p-1074), -1074 * std::log(2.0), 1e-12);
  EXPECT_NEAR(log(0x1.8p-1040), std::log(1.5) - 1040 * std::log(2.0), 1e-12);
}

TEST(Exp, AgreesWithTheLibrary) {
  EXPECT_LT(worst_relative(grid(-708.0, 709.7), exp, true_exp), 1e-15);
  EXPECT_LT(worst_relative(grid(-1.0, 1.0), exp, true_exp), 1e-15);
  EXPECT_LT(worst_relative(ladder(1e-300, 1e-10, 1.1), exp, true_exp), 1e-15);
}

TEST(Exp, KnowsItsEdges) {
  EXPECT_EQ(exp(0.0), 1.0);
  EXPECT_EQ(exp(-0.0), 1.0);
  EXPECT_EQ(exp(709.78), std::exp(709.78));
  EXPECT_EQ(exp(709.79), kInfinity);
  EXPECT_EQ(exp(1e300), kInfinity);
  EXPECT_EQ(exp(kInfinity), kInfinity);
  EXPECT_EQ(exp(-745.0), 0x1p-1074);
  EXPECT_NEAR(exp(-740.0) / std::exp(-740.0), 1.0, 0.02);  // 64 times the smallest number: it has 6 bits
  EXPECT_EQ(exp(-745.5), 0.0);
  EXPECT_EQ(exp(-1e300), 0.0);
  EXPECT_EQ(exp(-kInfinity), 0.0);
  EXPECT_TRUE(std::isnan(exp(kNaN)));
}

TEST(Turns, AgreeWithTheLibrary) {
  EXPECT_LT(worst_absolute(grid(-0.5, 0.5), cos_turns, true_cos), 1e-15);
  EXPECT_LT(worst_absolute(grid(-0.5, 0.5), sin_turns, true_sin), 1e-15);
  EXPECT_LT(worst_relative(ladder(1e-300, 0.125), sin_turns, true_sin), 1e-15);
  EXPECT_LT(worst_relative(grid(-0.24, 0.24), tan_turns, true_tan), 1e-14);
}

TEST(Turns, AreExactAtTheCorners) {
  const double cosines[] = {1, 0, -1, 0};
  for (int quarter = -8; quarter <= 8; ++quarter) {
    EXPECT_EQ(cos_turns(0.25 * quarter), cosines[(quarter + 8) % 4]) << quarter;
    EXPECT_EQ(sin_turns(0.25 * quarter), cosines[(quarter + 11) % 4]) << quarter;
  }
}

// Law, with ==: whole turns come off exactly. Multiples of 2^-20 leave room for 2^32 turns in a double.
TEST(Turns, RepeatExactly) {
  for (int i = 0; i < 1 << 12; ++i) {
    const double t = i * 257 * 0x1p-20;
    for (const double turns : {1.0, -1.0, 1000.0, -0x1p32, 0x1p32}) {
      EXPECT_EQ(cos_turns(t + turns), cos_turns(t));
      EXPECT_EQ(sin_turns(t + turns), sin_turns(t));
    }
  }
  EXPECT_EQ(cos_turns(1e300), 1.0);
  EXPECT_EQ(sin_turns(-1e300), 0.0);
}

TEST(Turns, HaveTheirSymmetries) {
  for (const double t : grid(0.0, 3.0)) {
    EXPECT_EQ(cos_turns(-t), cos_turns(t));
    EXPECT_EQ(sin_turns(-t), -sin_turns(t));
    EXPECT_NEAR(cos_turns(t) * cos_turns(t) + sin_turns(t) * sin_turns(t), 1.0, 1e-15);
    EXPECT_LE(std::fabs(cos_turns(t)), 1.0);
    EXPECT_LE(std::fabs(sin_turns(t)), 1.0);
  }
}

TEST(Turns, OfWhatIsNoNumberAreNaN) {
  for (const double t : {kInfinity, -kInfinity, kNaN}) {
    EXPECT_TRUE(std::isnan(cos_turns(t)));
    EXPECT_TRUE(std::isnan(sin_turns(t)));
    EXPECT_TRUE(std::isnan(tan_turns(t)));
  }
}

TEST(Atan2Turns, AgreesWithTheLibrary) {
  for (const double t : grid(-0.5, 0.5)) {
    for (const double radius : {1e-200, 1.0, 3e100}) {
      const double y = radius * sin_turns(t);
      const double x = radius * cos_turns(t);
      if (y == 0.0) continue;  // the library gives the zero a sign
      const long double truth = std::atan2(static_cast<long double>(y), static_cast<long double>(x)) / (2 * kPi);
      ASSERT_NEAR(atan2_turns(y, x), static_cast<double>(truth), 2e-16) << t;
    }
  }
}

TEST(Atan2Turns, KeepsItsDigitsNearTheAxis) {
  const auto truth = [](long double y) { return std::atan2(y, 1.0L) / (2 * kPi); };
  EXPECT_LT(worst_relative(
                ladder(1e-300, 1.0), [](double y) { return atan2_turns(y, 1.0); }, truth),
            1e-15);
}

TEST(Atan2Turns, IsExactOnTheAxesAndDiagonals) {
  EXPECT_EQ(atan2_turns(0, 2), 0.0);
  EXPECT_EQ(atan2_turns(2, 2), 0.125);
  EXPECT_EQ(atan2_turns(2, 0), 0.25);
  EXPECT_EQ(atan2_turns(2, -2), 0.375);
  EXPECT_EQ(atan2_turns(0, -2), 0.5);
  EXPECT_EQ(atan2_turns(-2, -2), -0.375);
  EXPECT_EQ(atan2_turns(-2, 0), -0.25);
  EXPECT_EQ(atan2_turns(-2, 2), -0.125);
}

TEST(Atan2Turns, KnowsItsEdges) {
  EXPECT_EQ(atan2_turns(0, 0), 0.0);
  EXPECT_EQ(atan2_turns(-0.0, -0.0), 0.0);
  EXPECT_EQ(atan2_turns(-0.0, -1.0), 0.5);
  EXPECT_EQ(atan2_turns(-1e-300, -1.0), 0.5);  // -1/2 itself is not in the range
  EXPECT_EQ(atan2_turns(kInfinity, kInfinity), 0.125);
  EXPECT_EQ(atan2_turns(kInfinity, 1.0), 0.25);
  EXPECT_EQ(atan2_turns(1.0, -kInfinity), 0.5);
  EXPECT_TRUE(std::isnan(atan2_turns(kNaN, 1.0)));
  EXPECT_TRUE(std::isnan(atan2_turns(1.0, kNaN)));
}

TEST(Portable, ManyAtOnceAreAsOneByOne) {
  std::vector<double> logs = ladder(1e-300, 1e300), exps = grid(-800.0, 0.0);
  exps.insert(exps.end(), {-0.0, -746.0, -746.5, -1e300, -1e-300});
  const std::vector<double> x = logs, y = exps;
  log_all(logs);
  exp_all(exps);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(bits(logs[i]), bits(log(x[i]))) << x[i];
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(bits(exps[i]), bits(exp(y[i]))) << y[i];
}

// Golden: one hash over the bits of many results. A compiler that fuses, reorders or replaces an operation changes it,
// and with it every random map; so does a better polynomial.
TEST(Portable, GivesTheSameBitsForEver) {
  const auto hash_of = [](const std::vector<double>& points, const Function& f) {
    std::vector<std::byte> bytes;
    for (const double x : points) {
      for (int shift = 0; shift < 64; shift += 8) {
        bytes.push_back(static_cast<std::byte>(std::bit_cast<std::uint64_t>(f(x)) >> shift));
      }
    }
    return hex(hash64(bytes));
  };
  EXPECT_EQ(hash_of(ladder(1e-300, 1e300), log), "2efcf1a92f61bc85");
  EXPECT_EQ(hash_of(grid(-745.0, 709.0), exp), "b97374f8b3114e8a");
  EXPECT_EQ(hash_of(grid(-2.0, 2.0), cos_turns), "ed50112308cd1ce4");
  EXPECT_EQ(hash_of(grid(-2.0, 2.0), sin_turns), "e2d1956c7294a70d");
  EXPECT_EQ(hash_of(grid(-0.2, 0.2), tan_turns), "320de31e3e6439a7");
  EXPECT_EQ(hash_of(grid(-9.0, 9.0), [](double y) { return atan2_turns(y, 1.0 - y); }), "c7154b50a701bfe2");
}

}  // namespace
}  // namespace expose::portable

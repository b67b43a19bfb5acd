#include "expose/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "expose/base/hash.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr std::size_t kDraws = 100'000;

std::vector<double> draws(const std::function<double(Random&)>& draw, std::uint64_t seed = 1,
                          std::uint64_t stream = 0) {
  Random random(seed, stream);
  std::vector<double> values(kDraws);
  for (double& value : values) value = draw(random);
  return values;
}

// sup_x |F_n(x) - F(x)| sqrt(n), Kolmogorov-Smirnov. Above 1.95 in one of 1000 samples that do follow F.
double distance_from(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double f = cdf(values[i]);
    worst = std::max({worst, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return worst * std::sqrt(n);
}
constexpr double kTooFar = 1.95;

double mean_of(const std::vector<double>& values, int power = 1) {
  double sum = 0.0;
  for (const double value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}
// Correlations of independent samples are normal with deviation 1 / sqrt(n): four of them.
const double kCorrelated = 4.0 / std::sqrt(static_cast<double>(kDraws));

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// The chance that a Gamma(a) is below x: x^a e^-x sum_k x^k / Gamma(a + k + 1).
double gamma_cdf(double a, double x) {
  if (x <= 0.0) return 0.0;
  double term = std::exp(a * std::log(x) - x - std::lgamma(a + 1.0));
  double sum = 0.0;
  for (double k = 1.0; term > 1e-17 * sum || k < x; ++k) {
    sum += term;
    term *= x / (a + k);
  }
  return std::min(sum, 1.0);
}
double chi_cdf(double dof, double x) { return gamma_cdf(0.5 * dof, 0.5 * x * x); }

// The closed forms for 3 and 5 degrees of freedom, with s = x / sqrt(dof), theta = atan s.
double student_cdf(int dof, double x) {
  const double s = x / std::sqrt(static_cast<double>(dof));
  const double c2 = 1.0 / (1.0 + s * s);  // cos^2 theta
  const double tail = dof == 3 ? s * c2 : s * c2 * (1.0 + 2.0 / 3.0 * c2);
  return 0.5 + (std::atan(s) + tail) / std::numbers::pi;
}

TEST(Philox, GivesThePublishedAnswers) {
  using Block = std::array<std::uint32_t, 4>;
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsPhiloxWithSeedAsKeyAndPositionAndStreamAsCounter) {
  Random random(0x1111111122222222, 0x3333333344444444);
  for (std::uint32_t position = 0; position < 5; ++position) {
    const auto block = philox4x32_10({position, 0, 0x44444444, 0x33333333}, {0x22222222, 0x11111111});
    EXPECT_EQ(random.bits(), std::uint64_t{block[1]} << 32 | block[0]);
    EXPECT_EQ(random.bits(), std::uint64_t{block[3]} << 32 | block[2]);
  }
}

TEST(Random, RepeatsItselfAndSoDoCopies) {
  Random a(5, 6);
  Random b(5, 6);
  a.normal();
  b.normal();
  Random c = a;  // in the middle of a Box-Muller pair
  for (int i = 0; i < 100; ++i) {
    const double next = a.normal();
    EXPECT_EQ(b.normal(), next);
    EXPECT_EQ(c.normal(), next);
  }
}

// Golden: law 2 rebuilds maps of released model files from these numbers.
TEST(Random, DrawsTheSameNumbersForEver) {
  const auto first_three = [](const std::function<double(Random&)>& draw) {
    Random random(2024, 7);
    std::string digits;
    for (int i = 0; i < 3; ++i) digits += hex(std::bit_cast<std::uint64_t>(draw(random))) + " ";
    return digits;
  };
  Random random(2024, 7);
  EXPECT_EQ(hex(random.bits()), "58bad16e47908b1c");
  EXPECT_EQ(hex(random.bits()), "ab2cc3cfee42c2f7");
  EXPECT_EQ(hex(random.bits()), "50be3b68190d5b04");
  EXPECT_EQ(random.below(1000), 716u);
  EXPECT_EQ(random.below(1000), 679u);
  EXPECT_EQ(first_three([](Random& r) { return r.uniform(); }), "3fd62eb45b91e422 3fe5659879fdc859 3fd42f8eda064356 ");
  EXPECT_EQ(first_three([](Random& r) { return r.normal(); }), "bfe6c9699dfa37f5 bff450a00178038b 3fe7e07c88c6e728 ");
  EXPECT_EQ(first_three([](Random& r) { return r.chi(1.0); }), "3fc6ad65284d3992 3fde327ecd8d0754 3ffe5f07eaf3fd06 ");
  EXPECT_EQ(first_three([](Random& r) { return r.chi(16.0); }), "400b62bb90ec96a6 40086cfb75738ec8 400bcd00644bb2a9 ");
  EXPECT_EQ(first_three([](Random& r) { return r.cauchy(); }), "bfe0bcd6b7c81a2f 3fe2be050cc0fa33 bfe4f6507b6e8e6e ");
  EXPECT_EQ(first_three([](Random& r) { return r.student(3.0); }),
            "c000b619ca8644b5 c001cc04735095fa bfeca69ec72c4962 ");
}

TEST(Uniform, IsUniformAndOpen) {
  const auto values = draws([](Random& r) { return r.uniform(); });
  EXPECT_LT(distance_from(values, [](double x) { return x; }), kTooFar);
  EXPECT_NEAR(mean_of(values), 0.5, 4 * std::sqrt(1.0 / 12 / kDraws));
  for (const double value : values) {
    ASSERT_GT(value, 0.0);
    ASSERT_LT(value, 1.0);
    const double steps = value * 0x1p53;
    ASSERT_EQ(std::fmod(steps, 2.0), 1.0);  // an odd multiple of 2^-53
  }
}

TEST(Below, IsUniform) {
  Random random(3, 0);
  std::vector<double> counts(10);
  for (std::size_t i = 0; i < kDraws; ++i) ++counts.at(random.below(10));
  double chi_squared = 0.0;
  for (const double count : counts) chi_squared += (count - kDraws / 10.0) * (count - kDraws / 10.0) / (kDraws / 10.0);
  EXPECT_LT(chi_squared, 27.9);  // 9 degrees of freedom: exceeded once in 1000
}

// For n = 3 * 2^62 the remainder of 64 bits falls into the first third half of the time; a fair draw a third of it.
TEST(Below, IsFairWhereRemaindersAreNot) {
  Random random(4, 0);
  const std::uint64_t third = std::uint64_t{1} << 62;
  std::size_t low = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const std::uint64_t draw = random.below(3 * third);
    ASSERT_LT(draw, 3 * third);
    if (draw < third) ++low;
  }
  EXPECT_NEAR(static_cast<double>(low) / kDraws, 1.0 / 3.0, 4 * std::sqrt(2.0 / 9.0 / kDraws));
}

TEST(Below, KnowsItsEdges) {
  Random random(5, 0);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.below(1), 0u);
  EXPECT_EQ(complaint([&] { random.below(0); }),
            "invalid_argument: a draw below 0 does not exist, the bound must be at least 1");
}

TEST(Normal, IsNormal) {
  const auto values = draws([](Random& r) { return r.normal(); });
  EXPECT_LT(distance_from(values, normal_cdf), kTooFar);
  EXPECT_NEAR(mean_of(values, 1), 0.0, 4 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(mean_of(values, 2), 1.0, 4 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(mean_of(values, 3), 0.0, 4 * std::sqrt(15.0 / kDraws));
  EXPECT_NEAR(mean_of(values, 4), 3.0, 4 * std::sqrt(96.0 / kDraws));
}

// The two of a Box-Muller pair share a radius: neither they nor their squares may be correlated.
TEST(Normal, PairsAreIndependent) {
  Random random(6, 0);
  std::vector<double> a, b, aa, bb;
  for (std::size_t i = 0; i < kDraws; ++i) {
    a.push_back(random.normal());
    b.push_back(random.normal());
    aa.push_back(a.back() * a.back());
    bb.push_back(b.back() * b.back());
  }
  EXPECT_LT(std::fabs(correlation(a, b)), kCorrelated);
  EXPECT_LT(std::fabs(correlation(aa, bb)), kCorrelated);
}

TEST(Chi, IsChi) {
  for (const double dof : {1.0, 2.0, 2.5, 16.0, 128.0, 1024.0}) {
    const auto values = draws([dof](Random& r) { return r.chi(dof); });
    EXPECT_LT(distance_from(values, [dof](double x) { return chi_cdf(dof, x); }), kTooFar) << dof;
    EXPECT_NEAR(mean_of(values, 2), dof, 4 * std::sqrt(2.0 * dof / kDraws)) << dof;
    const double mean = std::numbers::sqrt2 * std::exp(std::lgamma(0.5 * dof + 0.5) - std::lgamma(0.5 * dof));
    EXPECT_NEAR(mean_of(values), mean, 4 * std::sqrt((dof - mean * mean) / kDraws)) << dof;
  }
}

TEST(Chi, IsChiForSmallDegreesToo) {
  for (const double dof : {0.1, 0.5, 1.999}) {
    const auto values = draws([dof](Random& r) { return r.chi(dof); });
    EXPECT_LT(distance_from(values, [dof](double x) { return chi_cdf(dof, x); }), kTooFar) << dof;
  }
}

TEST(Cauchy, IsCauchy) {
  const auto values = draws([](Random& r) { return r.cauchy(); });
  EXPECT_LT(distance_from(values, [](double x) { return 0.5 + std::atan(x) / std::numbers::pi; }), kTooFar);
}

TEST(Student, IsStudent) {
  for (const int dof : {3, 5}) {
    const auto values = draws([dof](Random& r) { return r.student(dof); });
    EXPECT_LT(distance_from(values, [dof](double x) { return student_cdf(dof, x); }), kTooFar) << dof;
  }
  const auto five = draws([](Random& r) { return r.student(5.0); });
  EXPECT_NEAR(mean_of(five, 2), 5.0 / 3.0, 4 * std::sqrt((25.0 - 25.0 / 9.0) / kDraws));
}

TEST(ChiAndStudent, RefuseDegreesThatAreNotPositive) {
  Random random(7, 0);
  using Limits = std::numeric_limits<double>;
  for (const double dof : {0.0, -2.5, Limits::infinity(), Limits::quiet_NaN()}) {
    const std::string sentence =
        "invalid_argument: degrees of freedom are " + std::to_string(dof) + ", they must be finite and > 0";
    EXPECT_EQ(complaint([&] { random.chi(dof); }), sentence);
    EXPECT_EQ(complaint([&] { random.student(dof); }), sentence);
  }
  EXPECT_EQ(random.bits(), Random(7, 0).bits());  // a refused draw takes nothing from the stream
}

// Streams and seeds that differ in a single bit, low or high.
TEST(Streams, AreUncorrelated) {
  const auto uniform = [](Random& r) { return r.uniform(); };
  const auto first = draws(uniform, 1, 0);
  EXPECT_GT(correlation(first, draws(uniform, 1, 0)), 0.999);
  EXPECT_LT(std::fabs(correlation(first, draws(uniform, 1, 1))), kCorrelated);
  EXPECT_LT(std::fabs(correlation(first, draws(uniform, 1, std::uint64_t{1} << 63))), kCorrelated);
  EXPECT_LT(std::fabs(correlation(first, draws(uniform, 0, 0))), kCorrelated);
  EXPECT_LT(std::fabs(correlation(first, draws(uniform, 1 | std::uint64_t{1} << 63, 0))), kCorrelated);
}

TEST(Streams, AreUncorrelatedWithThemselvesLater) {
  const auto values = draws([](Random& r) { return r.uniform(); });
  for (const std::size_t lag : {1U, 2U, 3U, 4U, 8U, 100U}) {
    const std::vector<double> early(values.begin(), values.end() - static_cast<std::ptrdiff_t>(lag));
    const std::vector<double> late(values.begin() + static_cast<std::ptrdiff_t>(lag), values.end());
    EXPECT_LT(std::fabs(correlation(early, late)), kCorrelated) << lag;
  }
}

// The yardstick itself: errors of three percent in scale or place do not pass.
TEST(Distance, SeesSmallErrors) {
  const auto values = draws([](Random& r) { return r.normal(); });
  EXPECT_GT(distance_from(values, [](double x) { return normal_cdf(1.03 * x); }), kTooFar);
  EXPECT_GT(distance_from(values, [](double x) { return normal_cdf(x + 0.03); }), kTooFar);
  EXPECT_GT(distance_from(values, [](double x) { return student_cdf(5, x); }), kTooFar);
}

}  // namespace
}  // namespace expose

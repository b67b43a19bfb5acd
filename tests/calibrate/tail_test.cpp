#include "expose/calibrate/tail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/calibrate/samples.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

// The censored, adaptive exponential tail, from the rows themselves: surprises in bins, no counts.
struct SlowTail {
  explicit SlowTail(std::span<const double> similarities) {
    for (const double eta : similarities) bins.push_back(std::floor(128.0 * slow_surprise(eta)));
    std::sort(bins.begin(), bins.end());
    u = edge(500);
    above = count(u, 1e9);
    k = above / n();
    fit(800);
    for (const int next : {850, 900, 925, 950, 965, 980, 990, 995}) {
      const double expected = (1000 - next) / 1000.0;
      const double q = edge(next) - 0.5;
      if ((1000 - next) * n() < 5000.0) break;
      if (expected > 1.5 * k * survival((q - u) / 128.0)) break;
      fit(next);
    }
  }

  static double slow_surprise(double eta) { return -std::log(std::max(eta, 1e-8)); }
  double n() const { return static_cast<double>(bins.size()); }
  double count(double from, double to) const {
    return static_cast<double>(std::count_if(bins.begin(), bins.end(), [&](double b) { return from <= b && b < to; }));
  }
  // The lowest edge with at least at / 1000 n rows below it: just above the row of that rank.
  double edge(int at) const { return bins[(static_cast<std::size_t>(at) * bins.size() + 999) / 1000 - 1] + 1.0; }
  void fit(int next) {
    level = next / 1000.0;
    const double c = std::max(edge(next) - u, 1.0);
    m = std::max(count(u, u + c), 1.0);
    double sum = (above - count(u, u + c)) * c;
    for (const double b : bins) sum += u <= b && b < u + c ? b + 0.5 - u : 0.0;
    theta = std::max(sum / 128.0 / m, 1.0 / 512.0);
  }
  double survival(double x) const { return std::exp(-m * std::log1p(x / (m * theta))); }
  double p_value(double eta) const {
    const double s = slow_surprise(eta);
    if (s >= u / 128.0) return k * survival(s - u / 128.0);
    return std::max(count(std::floor(128.0 * s), 1e9) / n(), k);
  }

  std::vector<double> bins;
  double u = 0, above = 0, k = 0, m = 0, theta = 0, level = 0;
};

// Few different values, none of them at the edge of a bin.
std::vector<double> lattice(std::size_t n, std::uint64_t seed) {
  return similarities_of(n, seed, [](Random& r) { return 0.26 * static_cast<double>(r.below(4) * r.below(4)); });
}

TEST(Tail, IsTheSlowOne) {
  std::vector<std::vector<double>> tables = {exponential_rows(2, 11),
                                             exponential_rows(10, 12),
                                             exponential_rows(110, 12),
                                             exponential_rows(333, 13),
                                             exponential_rows(20000, 14),
                                             rows_with_outliers(2000, 20, 15),
                                             rows_with_outliers(2000, 100, 16),
                                             rows_with_outliers(3000, 500, 17),
                                             lattice(20, 18),
                                             lattice(2000, 19)};
  tables.push_back(similarities_of(3000, 20, [](Random& r) { return r.uniform(); }));
  tables.push_back(similarities_of(3000, 21, [](Random& r) { return std::exp(r.normal()); }));
  tables.push_back(similarities_of(3000, 22, [](Random& r) { return 0.1 * r.normal(); }));
  // Here half a bin decides how far the levels go.
  for (std::uint64_t seed = 40; seed < 60; ++seed) tables.push_back(exponential_rows(3000, seed, 0.01));
  for (const auto& rows : tables) {
    const SlowTail slow(rows);
    const Tail tail(counts_of(rows));
    EXPECT_EQ(tail.u(), slow.u / 128.0);
    EXPECT_EQ(tail.k(), slow.k);
    EXPECT_EQ(tail.m(), slow.m);
    EXPECT_NEAR(tail.theta(), slow.theta, 1e-12 * slow.theta);
    EXPECT_EQ(tail.level(), slow.level);
    for (const double eta : rows) ASSERT_NEAR(tail.p_value(eta) / slow.p_value(eta), 1.0, 1e-12) << eta;
  }
}

// With so many rows (1 + x / (m theta))^-m would lose all but a few digits of an exponential.
TEST(Tail, OfVeryManyRowsIsAnExponential) {
  SurpriseCounts counts;
  for (std::size_t b = 512; b < SurpriseCounts::kBins; ++b) {
    const double share = std::exp(-(static_cast<double>(b) - 512.0) / 64.0);  // theta = 1/2
    counts.add(std::exp(-(SurpriseCounts::edge(b) + 0.5 / 128.0)), static_cast<std::int64_t>(1e13 * share));
  }
  const Tail tail(counts);
  EXPECT_NEAR(tail.theta(), 0.5, 1e-4);
  for (const double x : {0.1, 1.0, 5.0, 10.0}) {
    EXPECT_NEAR(tail.decline(tail.u(), tail.u() + x) / std::exp(-x / tail.theta()), 1.0, 1e-11) << x;
  }
}

TEST(Tail, IsTheSameForAnyOrderAndMerge) {
  const auto rows = rows_with_outliers(2000, 60, 23);
  const auto p = p_values(rows);
  EXPECT_EQ(p_values(Tail(counts_of(shuffled(rows, 24))), rows), p);
  EXPECT_EQ(p_values(Tail(counts_of(std::span(rows).first(900)) + counts_of(std::span(rows).subspan(900))), rows), p);
  std::vector<double> reals(SurpriseCounts::kBins);
  const SurpriseCounts counts = counts_of(rows);
  std::copy(counts.counts().begin(), counts.counts().end(), reals.begin());
  EXPECT_EQ(p_values(Tail(reals), rows), p);
}

TEST(Tail, FallsAsSurpriseGrowsAndStaysInItsRange) {
  for (const std::size_t n : {1U, 2U, 5U, 50U, 5000U}) {
    for (const auto& rows : {exponential_rows(n, 25), lattice(n, 26), std::vector<double>(n, 0.3)}) {
      const Tail tail(counts_of(rows));
      double last = 1.0;
      for (int i = -600; i <= 2500; ++i) {
        const double p = tail.p_value(std::exp(-0.0101 * i));
        ASSERT_GT(p, 0.0);
        ASSERT_LE(p, last) << n << " " << i;
        last = p;
      }
    }
  }
}

TEST(Tail, DeclinesFromUOn) {
  const Tail tail(counts_of(exponential_rows(200, 24)));
  EXPECT_EQ(tail.decline(-4.0, tail.u()), 1.0);
  EXPECT_EQ(tail.decline(-4.0, tail.u() + 1.0), tail.decline(tail.u(), tail.u() + 1.0));
  EXPECT_NEAR(tail.decline(1.0, 2.0) * tail.decline(2.0, 3.0), tail.decline(1.0, 3.0), 1e-15);
}

TEST(Tail, OfManyIsThatOfEach) {
  SurpriseCounts counts;
  for (int i = 1; i <= 500; ++i) counts.add(1.0 / i);
  const Tail tail(counts);
  std::vector<double> p;
  for (int i = 1; i <= 2000; ++i) p.push_back(surprise(1.5 / i));
  const std::vector<double> s = p;
  tail.to_p_values(p);
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_EQ(p[i], tail.p_of_surprise(s[i])) << s[i];
}

TEST(Tail, OfNoRowsFindsNothingUnlikely) {
  for (const Tail& tail : {Tail(), Tail(SurpriseCounts())}) {
    for (const double eta : {1e9, 1.0, 0.1, 0.0, -1.0}) EXPECT_EQ(tail.p_value(eta), 1.0);
    EXPECT_EQ(tail.decline(0.0, 18.0), 1.0);
  }
}

TEST(Tail, OfOneRowKnowsNoScale) {
  const Tail tail(counts_of(std::vector<double>{0.5}));
  EXPECT_EQ(tail.p_value(0.5), 1.0);
  EXPECT_EQ(tail.p_value(0.0), 0.5);
  EXPECT_EQ(tail.decline(1.0, 18.0), 1.0);
}

// u is just above the first row, and theta the way from there to the middle of the bin of the second:
// p = 1/2 T(x), T(x) = 1 / (1 + x / theta).
TEST(Tail, OfTwoRowsIsHeavy) {
  const Tail tail(counts_of(std::vector<double>{1.0, std::exp(-1.0 - 0.5 / 128.0)}));
  EXPECT_EQ(tail.u(), 1.0 / 128.0);
  EXPECT_EQ(tail.m(), 1.0);
  EXPECT_EQ(tail.theta(), 127.5 / 128.0);
  EXPECT_EQ(tail.p_value(1.0), 1.0);
  EXPECT_NEAR(tail.p_value(std::exp(-1.0 - 0.5 / 128.0)), 0.25, 1e-12);
  EXPECT_NEAR(tail.p_value(0.0), 0.5 / (1.0 + (-std::log(1e-8) - 1.0 / 128.0) / (127.5 / 128.0)), 1e-12);
}

TEST(Tail, OfEqualRowsFlagsNone) {
  for (const double eta : {0.5, 1e-9, 1e9}) {  // within the range and at both its ends
    const Tail tail(counts_of(std::vector<double>(1000, eta)));
    EXPECT_EQ(tail.p_value(eta), 1.0) << eta;
  }
  EXPECT_EQ(Tail(counts_of(std::vector<double>(1000, 0.5))).p_value(0.4), 1.0 / 1001.0);
}

// Nine of ten rows share a bin: no row is seen between it and the censoring point one bin on.
TEST(Tail, TellsTheFarFromManyEqualRows) {
  std::vector<double> rows(900, 0.5);
  for (int i = 0; i < 100; ++i) rows.push_back(std::exp(-5.0 - 0.1 * i));
  const Tail tail(counts_of(rows));
  EXPECT_EQ(tail.m(), 1.0);
  EXPECT_EQ(tail.theta(), 100.0 / 128.0);
  EXPECT_EQ(tail.level(), 0.9);
  EXPECT_EQ(tail.p_value(0.5), 1.0);
  EXPECT_NEAR(tail.p_value(1e-6), 0.1 / (1.0 + (-std::log(1e-6) - tail.u()) / (100.0 / 128.0)), 1e-12);
}

TEST(Tail, NeverSaysZero) {
  std::vector<double> rows(100'000, 1.0);
  std::fill(rows.begin() + 50'000, rows.end(), std::exp(-0.5 / 128.0 - 1.0 / 128.0));
  const Tail tail(counts_of(rows));
  EXPECT_EQ(tail.p_value(0.0), kSmallestPValue);
  EXPECT_EQ(tail.decline(0.0, 18.0), 0.0);
  EXPECT_GT(tail.decline(17.9, 18.0), 0.0);  // though T itself is too small for a double at both
}

// Pinned: these bits are the same on every machine, or law 1 is broken.
TEST(Tail, GivesTheseBits) {
  SurpriseCounts counts;
  for (int i = 1; i <= 400; ++i) counts.add(i / 400.0);
  for (int i = 1; i <= 8; ++i) counts.add(1e-6 * i);
  const Tail tail(counts);
  EXPECT_EQ(tail.theta(), 0x1.20fd4e25b9efdp+0);
  EXPECT_EQ(tail.p_value(0.9), 0x1.cf0f0f0f0f0f1p-1);
  EXPECT_EQ(tail.p_value(0.25), 0x1.19bebedf82391p-2);
  EXPECT_EQ(tail.p_value(0.01), 0x1.0c5111b967891p-6);
  EXPECT_EQ(tail.p_value(2e-6), 0x1.7eb560ab4a27bp-17);
}

TEST(Tail, RefusesNaN) {
  const Tail tail(counts_of(exponential_rows(100, 33)));
  EXPECT_EQ(complaint([&] { tail.p_value(std::numeric_limits<double>::quiet_NaN()); }),
            "not_finite: a similarity is nan, it must be finite");
}

}  // namespace
}  // namespace expose

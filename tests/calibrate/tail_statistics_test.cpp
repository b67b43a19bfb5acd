// What the tail finds in rows of which the truth is known: clean ones, planted outliers, light and heavy tails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "expose/calibrate/tail.hpp"
#include "expose/calibrate/threshold.hpp"
#include "tests/calibrate/samples.hpp"

namespace expose {
namespace {

TEST(TailStatistics, FindsTheMeanOfAnExponential) {
  for (const double theta : {0.1, 0.4, 1.5}) {
    const Tail tail(counts_of(exponential_rows(100'000, 27, theta)));
    EXPECT_NEAR(tail.theta(), theta, 4.0 * theta / std::sqrt(tail.m())) << theta;
    EXPECT_EQ(tail.level(), 0.995);
    EXPECT_NEAR(tail.u(), 0.5 + theta * std::log(2.0), 0.01 + 0.02 * theta);
    EXPECT_NEAR(tail.k(), 0.5, 0.03);
  }
}

TEST(TailStatistics, FlagsItsShareOfCleanExponentials) {
  std::vector<double> p;
  for (std::uint64_t run = 0; run < 20; ++run) {
    const auto of_run = p_values(exponential_rows(3000, 100 + run));
    p.insert(p.end(), of_run.begin(), of_run.end());
  }
  EXPECT_NEAR(share_at_most(p, 0.05), 0.05, 0.005);
  EXPECT_NEAR(share_at_most(p, 0.01), 0.01, 0.002);
  EXPECT_NEAR(share_at_most(p, 0.001), 0.001, 0.0006);
}

// Whatever is discovered in a clean table is false: q promises that it happens in 5 % of the runs, 10 of these.
TEST(TailStatistics, LetsCleanTablesHaveFewDiscoveries) {
  int discoveries = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    const auto rows = exponential_rows(1000, 200 + run);
    const auto flags = flag(p_values(rows), rows, std::vector<char>(rows.size(), 1), Fdr{0.05});
    discoveries += std::count(flags.begin(), flags.end(), 1) > 0 ? 1 : 0;
  }
  EXPECT_LE(discoveries, 20);
}

TEST(TailStatistics, FlagsPlantedOutliersUpToAFifth) {
  for (const std::size_t planted : {30U, 150U, 501U}) {  // 1, 5 and 16.7 %
    const auto rows = rows_with_outliers(3000, planted, 28);
    const auto p = p_values(rows);
    EXPECT_EQ(share_at_most(std::span(p).first(planted), 0.01), 1.0) << planted;
    EXPECT_LE(share_at_most(std::span(p).subspan(planted), 0.01), 0.015) << planted;
    const auto found = flag(p, rows, std::vector<char>(rows.size(), 1), Fdr{0.05});
    EXPECT_EQ(std::count(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(planted), 1),
              static_cast<std::ptrdiff_t>(planted));
  }
}

// A limit of the method, to be known: more than a fifth reaches into what the tail is fitted to.
TEST(TailStatistics, IsMaskedByMore) {
  const auto p = p_values(rows_with_outliers(3000, 900, 29));
  EXPECT_EQ(share_at_most(p, 0.01), 0.0);
}

TEST(TailStatistics, IsCautiousWithLightTails) {
  const auto uniform = p_values(similarities_of(5000, 30, [](Random& r) { return r.uniform(); }));
  EXPECT_LE(share_at_most(uniform, 0.01), 0.0025);
  EXPECT_LE(share_at_most(uniform, 0.05), 0.05);
  const auto normal = p_values(similarities_of(5000, 31, [](Random& r) { return 3.0 + 0.3 * r.normal(); }));
  EXPECT_LE(share_at_most(normal, 0.01), 0.0025);
}

TEST(TailStatistics, FlagsABitMoreOfHeavyTails) {
  const auto p = p_values(similarities_of(5000, 32, [](Random& r) { return 0.3 * std::exp(0.8 * r.normal()); }));
  EXPECT_GE(share_at_most(p, 0.01), 0.01);
  EXPECT_LE(share_at_most(p, 0.01), 0.05);
}

}  // namespace
}  // namespace expose

// A detector explains: planted columns are named, in the columns that came in, whatever the number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "expose/detector/detector.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr std::size_t kColumns = 20;

// Rows in which each column is half its own and half what all share: any two correlate with 1/2.
Table correlated(std::size_t n, std::uint64_t seed) {
  Random random(seed, 0);
  Table table{{}, kColumns};
  for (std::size_t i = 0; i < n; ++i) {
    const double common = random.normal();
    for (std::size_t k = 0; k < kColumns; ++k) {
      table.values.push_back(static_cast<float>(std::sqrt(0.5) * (common + random.normal())));
    }
  }
  return table;
}

// In how many of 100 rows the `planted` columns that were moved by 6 (robust) deviations are those with the largest
// shares.
int named_first(const Options& options, std::size_t planted) {
  const Detector detector = fit(correlated(2000, 1).rows(), options);
  Table odd = correlated(100, 2);
  Random random(3, 0);
  std::vector<std::vector<std::size_t>> moved(odd.n());
  for (std::size_t i = 0; i < odd.n(); ++i) {
    std::vector<std::size_t> order = shuffled(kColumns, 100 + i);
    order.resize(planted);
    std::ranges::sort(order);
    moved[i] = order;
    for (const std::size_t k : order) odd.values[i * kColumns + k] = random.uniform() < 0.5 ? -6.0F : 6.0F;
  }
  const std::vector<double> shares = detector.explain(odd.rows());
  int right = 0;
  for (std::size_t i = 0; i < odd.n(); ++i) {
    std::vector<std::size_t> order(kColumns);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return shares[i * kColumns + a] > shares[i * kColumns + b]; });
    order.resize(planted);
    std::ranges::sort(order);
    if (order == moved[i]) ++right;
  }
  return right;
}

class ExplainingOf : public EveryMap {
 protected:
  // So many frequencies that their noise does not bury the similarity of rows that are like little.
  static Options options() { return {.map = GetParam(), .r = GetParam() == MapKind::nystrom ? 256 : 8192}; }
};
EXPOSE_FOR_EVERY_MAP(ExplainingOf);

TEST_P(ExplainingOf, APlantedColumnIsNamedFirst) { EXPECT_GE(named_first(options(), 1), 95); }
TEST_P(ExplainingOf, TwoPlantedColumnsAreTheFirstTwo) { EXPECT_GE(named_first(options(), 2), 80); }
TEST(Explaining, WorksWithoutAClosedForm) { EXPECT_GE(named_first({.kernel = Laplacian{}}, 1), 95); }

TEST(ExplainingThreads, AreNotSeen) {
  const Table table = correlated(600, 1), odd = correlated(70, 2);
  const std::vector<double> alone = fit(table.rows(), {.r = 32, .threads = 1}).explain(odd.rows());
  for (const std::size_t threads : {2U, 5U}) {
    EXPECT_EQ(fit(table.rows(), {.r = 32, .threads = threads}).explain(odd.rows()), alone) << threads;
  }
}

TEST(Explaining, IsInTheColumnsThatCameIn) {
  Table table = normal_table(300, 4, 1);
  for (std::size_t i = 0; i < table.n(); ++i) table.values[i * 4 + 1] = 7.0F;  // constant: the plan drops it
  const Detector detector = fit(table.rows(), {.r = 64, .threads = 1});
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  const Table odd{{0, 7, 9, 0, 9, 7, kNaN, 0, 0, 7, kInfinity, 0, kNaN, kNaN, kNaN, kNaN}, 4};
  const std::vector<double> shares = detector.explain(odd.rows());
  ASSERT_EQ(shares.size(), 16U);
  EXPECT_GT(shares[2], 0.9);
  EXPECT_EQ(shares[1], 0.0);
  EXPECT_GT(shares[4], 0.9);
  EXPECT_EQ(shares[6], 0.0);                                                         // missing
  EXPECT_EQ(std::vector(shares.begin() + 8, shares.end()), std::vector<double>(8));  // bad, and all missing
  const std::vector<std::uint32_t> groups = {2, 1, 0, 0};
  const std::vector<double> grouped = detector.explain(odd.rows().slice(0, 2), groups);
  ASSERT_EQ(grouped.size(), 6U);
  EXPECT_GT(grouped[0], 0.9);
  EXPECT_EQ(grouped[1], 0.0);
  EXPECT_GT(grouped[5], 0.9);
  EXPECT_EQ(complaint([&] {
              (void)detector.explain(odd.rows(), std::vector<std::uint32_t>{0, 1});
            }),
            "shape_mismatch: there are groups of 2 columns, the plan takes 4");
  EXPECT_EQ(Detector(detector.plan(), 1).explain(odd.rows()), std::vector<double>(16));  // has learned nothing
}

}  // namespace
}  // namespace expose

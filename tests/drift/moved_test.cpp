// Which columns moved, against the slow obvious version.
#include "expose/drift/moved.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "expose/base/pool.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

// The table without column k; with all columns for k = d.
Table without(const Table& table, std::size_t k) {
  Table rest{{}, k < table.d ? table.d - 1 : table.d};
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (i % table.d != k) rest.values.push_back(table.values[i]);
  }
  return rest;
}

// The mean of k over pairs of different rows.
double mean_within(const Kernel& kernel, Rows x) {
  const auto n = static_cast<double>(x.n());
  return (mean_kernel(kernel, x, x) * n * n - n) / (n * (n - 1));
}

double mmd_squared(const Kernel& kernel, const Table& a, const Table& b) {
  return mean_within(kernel, a.rows()) + mean_within(kernel, b.rows()) - 2 * mean_kernel(kernel, a.rows(), b.rows());
}

Table moved(Table table, std::size_t column, float by) {
  for (std::size_t i = column; i < table.values.size(); i += table.d) table.values[i] += by;
  return table;
}

// Column k alone.
Table alone(const Table& table, std::size_t k) {
  Table one{{}, 1};
  for (std::size_t i = k; i < table.values.size(); i += table.d) one.values.push_back(table.values[i]);
  return one;
}

TEST(Moved, SharesAreWhatVanishesWithoutAColumnAndWhatItShowsAlone) {
  const Table a = normal_table(30, 4, 1), b = moved(normal_table(40, 4, 2), 2, 1.0F);
  for (const Kernel& kernel : {Kernel(Gaussian{1.5}), Kernel(Laplacian{2.0}), Kernel(Matern32{1.5})}) {
    std::vector<double> expected(4);
    for (std::size_t k = 0; k < 4; ++k) {
      expected[k] = std::max(0.0, mmd_squared(kernel, a, b) - mmd_squared(kernel, without(a, k), without(b, k))) +
                    std::max(0.0, mmd_squared(kernel, alone(a, k), alone(b, k)));
    }
    const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
    const std::vector<double> shares = moved_columns(kernel, a.rows(), b.rows());
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(shares[k], expected[k] / sum, 1e-9) << name(kernel) << ", " << k;
  }
}

TEST(Moved, TheColumnThatMovedIsNamedFirst) {
  int named = 0;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const std::size_t column = draw % 6;
    const Table a = normal_table(100, 6, 2 * draw), b = moved(normal_table(100, 6, 2 * draw + 1), column, 1.0F);
    const std::vector<double> shares = moved_columns(Gaussian{1.5}, a.rows(), b.rows());
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-12);
    EXPECT_GE(*std::min_element(shares.begin(), shares.end()), 0.0);
    named += std::max_element(shares.begin(), shares.end()) - shares.begin() == static_cast<std::ptrdiff_t>(column);
  }
  EXPECT_GE(named, 19);
}

// Without one of them, the others still tell the samples apart.
TEST(Moved, SeveralColumnsThatMovedFarShareIt) {
  const Table a = normal_table(100, 6, 1);
  Table b = normal_table(100, 6, 2);
  for (const std::size_t column : {0U, 2U, 3U, 5U}) b = moved(b, column, 30.0F);
  const std::vector<double> shares = moved_columns(Gaussian{1.5}, a.rows(), b.rows());
  for (const std::size_t column : {0U, 2U, 3U, 5U}) EXPECT_GT(shares[column], 0.2) << column;
}

TEST(Moved, AColumnThatIsAlwaysMissingHasNoShare) {
  Table a = normal_table(50, 3, 1), b = moved(normal_table(50, 3, 2), 0, 1.0F);
  for (std::size_t i = 1; i < b.values.size(); i += 3) b.values[i] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<double> shares = moved_columns(Gaussian{1.5}, a.rows(), b.rows());
  EXPECT_GT(shares[0], 0.5);
  for (std::size_t i = 1; i < a.values.size(); i += 3) a.values[i] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(moved_columns(Gaussian{1.5}, a.rows(), b.rows())[1], 0.0);
}

TEST(Moved, TooFewRowsAndEqualRowsSayNothing) {
  const Table one = normal_table(1, 3, 1), many(normal_table(10, 3, 2));
  EXPECT_EQ(moved_columns(Gaussian{1.0}, one.rows(), many.rows()), std::vector<double>(3, 0.0));
  const Table same{std::vector<float>(30, 1.0F), 3};
  EXPECT_EQ(moved_columns(Gaussian{1.0}, same.rows(), same.rows()), std::vector<double>(3, 0.0));
}

TEST(Moved, PoolDecidesNoBit) {
  const Table a = normal_table(30, 4, 1), b = normal_table(40, 4, 2);
  Pool pool(3);
  EXPECT_EQ(moved_columns(Gaussian{1.5}, a.rows(), b.rows()), moved_columns(Gaussian{1.5}, a.rows(), b.rows(), &pool));
}

}  // namespace
}  // namespace expose

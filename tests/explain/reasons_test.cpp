// Reasons, against the definition computed the slow way, and their laws.
#include "expose/explain/reasons.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class ReasonsOf : public EveryMap {
 protected:
  MeanMap model() const { return learned(make_map(recipe_of(GetParam(), kD, 256)), normal_table(500, kD, 1).rows()); }
  static std::vector<float> ones() { return std::vector<float>(kD, 1.0F); }
  static std::vector<float> zeros() { return std::vector<float>(kD, 0.0F); }
};
EXPOSE_FOR_EVERY_MAP(ReasonsOf);

std::vector<double> shares(const Reasons& reasons, Rows rows) {
  std::vector<double> out(rows.n() * reasons.features());
  reasons.shares(rows, out);
  return out;
}

TEST_P(ReasonsOf, SharesAreSharesAndNameTheCulprit) {
  const Reasons reasons(model(), zeros(), ones());
  Table rows = normal_table(50, kD, 2);
  for (std::size_t i = 0; i < rows.n(); ++i) rows.values[i * kD + i % kD] = i % 2 == 0 ? 6.0F : -6.0F;
  const std::vector<double> found = shares(reasons, rows.rows());
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const std::span<const double> mine(&found[i * kD], kD);
    EXPECT_NEAR(std::accumulate(mine.begin(), mine.end(), 0.0), 1.0, 1e-12);
    for (const double share : mine) EXPECT_GE(share, 0.0);
    EXPECT_EQ(std::ranges::max_element(mine) - mine.begin(), static_cast<std::ptrdiff_t>(i % kD)) << i;
  }
}

// eta(x with k unknown), by drawing x_k ten thousand times.
TEST_P(ReasonsOf, UnknownMeansDrawnFromTheColumn) {
  if (GetParam() == MapKind::sorf || GetParam() == MapKind::fastfood) return;  // right on average over columns
  const MeanMap mean = model();
  const std::vector<float> row = {2.5F, 0.3F, -1.8F, 0.9F, -0.2F}, centre = {0.1F, 0.0F, -0.1F, 0.0F, 0.2F};
  const std::vector<double> found = shares(Reasons(mean, centre, ones()), Rows(row, kD));
  const std::vector<double> dual = mean.map().dual(mean.mean());
  const auto eta = [&](const std::vector<float>& x) {
    std::vector<float> features(mean.map().size());
    mean.map().project(Rows(x, kD), features);
    return std::inner_product(features.begin(), features.end(), dual.begin(), 0.0);
  };
  std::vector<double> gains;
  Random random(7, 0);
  for (std::size_t k = 0; k < kD; ++k) {
    double sum = 0;
    for (int draw = 0; draw < 10000; ++draw) {
      std::vector<float> other = row;
      other[k] = static_cast<float>(static_cast<double>(centre[k]) + random.normal());
      sum += eta(other);
    }
    gains.push_back(std::max(0.0, sum / 10000 - eta(row)));
  }
  const double total = std::accumulate(gains.begin(), gains.end(), 0.0);
  for (std::size_t k = 0; k < kD; ++k) EXPECT_NEAR(found[k], gains[k] / total, 0.03) << k;
}

TEST_P(ReasonsOf, DependOnTheRowAlone) {
  const Reasons reasons(model(), zeros(), ones());
  const Table rows = normal_table(20, kD, 3, 1.5);
  const std::vector<double> together = shares(reasons, rows.rows());
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const std::vector<double> alone = shares(reasons, rows.rows().slice(i, i + 1));
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(i * kD))) << i;
  }
}

TEST_P(ReasonsOf, ColumnsOfAGroupAreUnknownTogether) {
  const MeanMap mean = model();
  const std::vector<float> row = {4.0F, 4.0F, 0.1F, 0.0F, -3.0F};
  const Reasons grouped(mean, zeros(), ones(), {1, 1, 0, 0, 2});
  EXPECT_EQ(grouped.features(), 3U);
  const std::vector<double> found = shares(grouped, Rows(row, kD));
  EXPECT_GT(found[1], 0.8);  // one of the two alone wins little, as the other still stands out
  EXPECT_GT(found[1], found[2]);
  EXPECT_GE(found[2], found[0]);
}

TEST_P(ReasonsOf, MissingNumbersAreNoReason) {
  if (GetParam() == MapKind::isolation) return;  // which cannot integrate them out
  const Reasons reasons(model(), zeros(), ones());
  const std::vector<float> row = {kNaN, 3.0F, 0.1F, kNaN, 0.2F};
  const std::vector<double> found = shares(reasons, Rows(row, kD));
  EXPECT_EQ(found[0], 0.0);
  EXPECT_EQ(found[3], 0.0);
  EXPECT_GT(found[1], 0.9);
}

// Where nothing can be won, nobody is to blame: neither rounding nor an empty model makes a reason.
TEST_P(ReasonsOf, AreNothingWhereNothingIsWon) {
  const MeanMap empty(model().shared_map());
  const std::vector<float> row(kD, 3.0F);
  EXPECT_EQ(shares(Reasons(empty, zeros(), ones()), Rows(row, kD)), std::vector<double>(kD, 0.0));
  const Table one{std::vector<float>(kD, 0.0F), kD};
  const MeanMap alone = learned(model().shared_map(), one.rows());
  const std::vector<double> found = shares(Reasons(alone, zeros(), ones()), one.rows());
  EXPECT_EQ(found, std::vector<double>(kD, 0.0));
}

// Far out in two columns: leaving out one of them wins nothing, so each is looked at alone.
TEST_P(ReasonsOf, AreFoundForRowsThatAreLikeNothing) {
  if (GetParam() != MapKind::nystrom) return;  // the noise of random maps is a similarity
  const Reasons reasons(model(), zeros(), ones());
  const std::vector<float> row = {0.1F, 40.0F, -0.3F, -30.0F, 0.2F};
  const std::vector<double> found = shares(reasons, Rows(row, kD));
  EXPECT_GT(found[1], 0.4);
  EXPECT_GT(found[3], 0.4);
  EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 1.0, 1e-12);
}

class ReasonsWithout : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, ReasonsWithout, testing::Values("laplacian", "matern32", "matern52"));

// No closed form: five nodes. Beside the same kernel drawn as random frequencies, which have one.
TEST_P(ReasonsWithout, AClosedFormAgreeWithThoseThatHaveOne) {
  constexpr std::size_t kD = 3;
  const Kernel kernel = kernel_named(GetParam(), 2.0);
  const Table rows = normal_table(400, kD, 1);
  const std::vector<float> odd = {3.0F, 0.2F, -1.5F}, mean(kD, 0.0F), variance(kD, 1.0F);
  const auto of = [&](MapKind kind, std::size_t r) {
    Recipe recipe = recipe_of(kind, kD, r, 1, kernel);
    return shares(Reasons(learned(make_map(recipe), rows.rows()), mean, variance), Rows(odd, kD));
  };
  const std::vector<double> nodes = of(MapKind::nystrom, 256), closed = of(MapKind::fourier, 20000);
  for (std::size_t k = 0; k < kD; ++k) EXPECT_NEAR(nodes[k], closed[k], 0.05) << k;
  const std::vector<float> gap = {3.0F, kNaN, -1.5F};
  Recipe recipe = recipe_of(MapKind::nystrom, kD, 16, 1, kernel);
  EXPECT_EQ(complaint([&] { shares(Reasons(learned(make_map(recipe), rows.rows()), mean, variance), Rows(gap, kD)); }),
            "not_finite: row 1, column 2 is nan");
}

TEST(Reasons, SayWhatIsWrong) {
  const MeanMap mean = learned(make_map(recipe_of(MapKind::fourier, 2, 8)), normal_table(9, 2, 1).rows());
  using Floats = std::vector<float>;
  EXPECT_EQ(complaint([&] {
              Reasons(mean, Floats{0}, Floats{1, 1});
            }),
            "shape_mismatch: there are 1 means, the map has 2 columns");
  EXPECT_EQ(complaint([&] {
              Reasons(mean, Floats{0, 0}, Floats{1, 1}, {0});
            }),
            "shape_mismatch: there are 1 groups, the map has 2 columns");
  EXPECT_EQ(complaint([&] {
              Reasons(mean, Floats{0, 0}, Floats{1, -1});
            }),
            "invalid_argument: column 2 has the mean 0, the variance -1 and the group 1 of at most 2");
  const Reasons reasons(mean, Floats{0, 0}, Floats{1, 1});
  const Floats row = {1, 2}, wide = {1, 2, 3}, bad = {1, std::numeric_limits<float>::infinity()};
  std::vector<double> out(2), little(1);
  EXPECT_EQ(complaint([&] { reasons.shares(Rows(wide, 3), out); }),
            "shape_mismatch: rows have 3 columns, the map takes 2");
  EXPECT_EQ(complaint([&] { reasons.shares(Rows(row, 2), little); }),
            "shape_mismatch: the output has room for 1 numbers, 2 come");
  EXPECT_EQ(complaint([&] { reasons.shares(Rows(bad, 2), out); }), "not_finite: row 1, column 2 is inf");
}

}  // namespace
}  // namespace expose

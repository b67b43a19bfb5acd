// Expected features: what the features of a row with error bars are on average, against drawing the row many times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "expose/map/feature_map.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose {
namespace {

constexpr std::size_t kDraws = 20000;

// Some coordinates without an error bar, some with a small and some with a large one.
std::vector<float> bars(std::size_t n, std::size_t d, std::uint64_t seed) {
  Random random(seed, 1);
  std::vector<float> variances(n * d);
  for (float& v : variances) v = random.below(2) == 0 ? 0.0F : static_cast<float>(2 * random.uniform());
  return variances;
}

std::vector<float> expected(const FeatureMap& map, Rows rows, Rows variances) {
  std::vector<float> features(rows.n() * map.size());
  map.project_expected(rows, variances, features);
  return features;
}

// x ~ N(row, diag(v)), kDraws times.
Table draws(std::span<const float> row, std::span<const float> v, std::uint64_t seed) {
  Random random(seed, 2);
  Table table{{}, row.size()};
  for (std::size_t i = 0; i < kDraws; ++i) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      table.values.push_back(static_cast<float>(row[k] + std::sqrt(v[k]) * static_cast<float>(random.normal())));
    }
  }
  return table;
}

// The largest and the mean difference of the closed form and the mean over draws.
struct Gap {
  double worst = 0;
  double mean = 0;
};
Gap gap_of(const Recipe& recipe) {
  const SharedMap map = make_map(recipe);
  const Table x = normal_table(1, recipe.d, 5);
  const std::vector<float> v = bars(1, recipe.d, 6);
  const std::vector<float> closed = expected(*map, x.rows(), Rows(v, recipe.d));
  const std::vector<double> drawn = mean_features(*map, draws(x.rows()[0], v, 7).rows());
  Gap gap;
  for (std::size_t j = 0; j < closed.size(); ++j) {
    const double difference = std::abs(static_cast<double>(closed[j]) - drawn[j]);
    gap.worst = std::max(gap.worst, difference);
    gap.mean += difference / static_cast<double>(closed.size());
  }
  return gap;
}

// A feature is at most 1 in size, so its mean over the draws is off by 1 / sqrt(20000) = 0.007 at most, typically.
TEST(Expected, IsTheMeanOverDraws) {
  for (const std::size_t d : {1U, 6U, 20U}) {
    for (const Kernel& kernel : {Kernel(Gaussian{1.5}), Kernel(Laplacian{4.0}), Kernel(Matern32{2.0})}) {
      EXPECT_LT(gap_of(recipe_of(MapKind::fourier, d, 45, 3, kernel)).worst, 0.03) << name(kernel) << d;
    }
    EXPECT_LT(gap_of(recipe_of(MapKind::nystrom, d, 45, 3, Gaussian{1.5})).worst, 0.02) << d;
  }
}

// Structured maps take the mean square of a frequency's coordinates for each of them.
TEST(Expected, OfStructuredMapsIsNearTheMeanOverDraws) {
  for (const MapKind kind : {MapKind::sorf, MapKind::fastfood}) {
    const Gap gap = gap_of(recipe_of(kind, 20, 300, 3, Gaussian{5.0}));
    EXPECT_LT(gap.worst, 0.25) << name(kind);
    EXPECT_LT(gap.mean, 0.04) << name(kind);
  }
}

class ExpectedMaps : public EveryMap {};
EXPOSE_FOR_EVERY_MAP_THAT_INTEGRATES(ExpectedMaps);

TEST_P(ExpectedMaps, WithoutErrorBarsIsTheProjection) {
  const SharedMap phi = map();
  const Table x = normal_table(20, kD, 1);
  const std::vector<float> none(20 * kD, 0.0F);
  std::vector<float> features(20 * phi->size());
  phi->project(x.rows(), features);
  EXPECT_EQ(expected(*phi, x.rows(), Rows(none, kD)), features);
  EXPECT_EQ(phi->own_similarity(std::span(none).first(kD)), 1.0);
}

TEST_P(ExpectedMaps, LiesOnTheGrid) {
  const SharedMap phi = map();
  const std::vector<float> v = bars(20, kD, 2);
  for (const float feature : expected(*phi, normal_table(20, kD, 1).rows(), Rows(v, kD))) {
    const double units = static_cast<double>(feature) / FeatureMap::kGrid;
    ASSERT_EQ(units, std::nearbyint(units));
    ASSERT_LE(std::abs(feature), 1.0F);
  }
}

// Law 1: one row, a block, rows with a stride, every target.
TEST_P(ExpectedMaps, EveryTargetAndBlockGivesTheSameBits) {
  for (const std::size_t r : {1U, 33U, 300U}) {
    const SharedMap phi = make_map(recipe_of(GetParam(), kD, r));
    const Table x = normal_table(15, kD, 3);
    const std::vector<float> v = bars(15, kD, 4);
    std::vector<std::vector<float>> all;
    on_every_target([&](const std::string&) {
      all.push_back(expected(*phi, x.rows(), Rows(v, kD)));
      std::vector<float> one_by_one;
      for (std::size_t i = 0; i < x.n(); ++i) {
        const std::vector<float> one = expected(*phi, x.rows().slice(i, i + 1), Rows(v, kD).slice(i, i + 1));
        one_by_one.insert(one_by_one.end(), one.begin(), one.end());
      }
      all.push_back(one_by_one);
    });
    for (const std::vector<float>& features : all) ASSERT_EQ(features, all[0]) << r;
  }
}

// |E phi|^2: for the map of many frequencies or landmarks it comes near the closed form, and that near the draws.
TEST_P(ExpectedMaps, OwnSimilarityIsThatOfTwoCopies) {
  const SharedMap phi =
      make_map(recipe_of(GetParam(), kD, GetParam() == MapKind::nystrom ? 300 : 1500, 1, Gaussian{2.0}));
  const Table x = normal_table(1, kD, 1);
  const std::vector<float> v = bars(1, kD, 5);
  const std::vector<float> features = expected(*phi, x.rows(), Rows(v, kD));
  const std::vector<double> dual = phi->dual(std::vector<double>(features.begin(), features.end()));
  double inner = 0;
  for (std::size_t j = 0; j < phi->size(); ++j) inner += static_cast<double>(features[j]) * dual[j];
  const double own = phi->own_similarity(v);
  const bool structured = GetParam() == MapKind::sorf || GetParam() == MapKind::fastfood;
  EXPECT_NEAR(own, inner, structured ? 1e-4 : 0.03);  // theirs is what they add, to the bit of the grid
  const Table a = draws(x.rows()[0], v, 8), b = draws(x.rows()[0], v, 9);
  double drawn = 0;
  for (std::size_t i = 0; i < kDraws; ++i) drawn += evaluate(phi->kernel(), a.rows()[i], b.rows()[i]) / kDraws;
  EXPECT_NEAR(own, drawn, structured ? 0.1 : 0.01);
}

TEST(Expected, OwnSimilarityOfOtherKernelsIsThatOfTheirFrequencies) {
  for (const Kernel& kernel : {Kernel(Laplacian{4.0}), Kernel(Matern32{2.0}), Kernel(Matern52{2.0})}) {
    const SharedMap phi = make_map(recipe_of(MapKind::fourier, 5, 4000, 1, kernel));
    const std::vector<float> v = bars(1, 5, 5);
    const Table x = normal_table(1, 5, 1);
    const Table a = draws(x.rows()[0], v, 8), b = draws(x.rows()[0], v, 9);
    double drawn = 0;
    for (std::size_t i = 0; i < kDraws; ++i) drawn += evaluate(kernel, a.rows()[i], b.rows()[i]) / kDraws;
    EXPECT_NEAR(phi->own_similarity(v), drawn, 0.02) << name(kernel);
  }
}

TEST_P(ExpectedMaps, HugeVariancesLeaveNothing) {
  for (const double s : {1e-15, 2.0, 1e15}) {
    const SharedMap phi = make_map(recipe_of(GetParam(), kD, 40, 3, Gaussian{s}));
    const Table x{{0.0F, 1e-15F, 1.0F, -1e15F, 1e38F}, kD};
    const std::vector<float> v(kD, std::numeric_limits<float>::max());
    for (const float feature : expected(*phi, x.rows(), Rows(v, kD))) ASSERT_NEAR(feature, 0.0F, 1e-6F) << s;
  }
}

TEST_P(ExpectedMaps, RefuseBadErrorBars) {
  const SharedMap phi = map();
  const Table x = normal_table(2, kD, 1);
  std::vector<float> features(2 * phi->size());
  const auto refused = [&](const std::vector<float>& v, std::size_t d) {
    return complaint([&] { phi->project_expected(x.rows(), Rows(v, d), features); });
  };
  std::vector<float> v(2 * kD, 1.0F);
  EXPECT_EQ(refused(std::vector<float>(kD, 1.0F), kD), "shape_mismatch: there are 2 rows and variances of 1 rows");
  EXPECT_EQ(refused(std::vector<float>(2 * kD, 1.0F), kD * 2), "shape_mismatch: rows have 10 columns, the map takes 5");
  v[kD + 2] = -0.5F;
  EXPECT_EQ(refused(v, kD), "invalid_argument: a variance is a number from 0 on, that of row 2, column 3 is -0.5");
  v[kD + 2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(refused(v, kD), "invalid_argument: a variance is a number from 0 on, that of row 2, column 3 is inf");
}

TEST(Expected, NystromNeedsTheGaussianKernel) {
  const SharedMap phi = make_map(recipe_of(MapKind::nystrom, 3, 8, 1, Laplacian{1.0}));
  EXPECT_FALSE(phi->integrates());
  EXPECT_TRUE(make_map(recipe_of(MapKind::nystrom, 3, 8))->integrates());
  EXPECT_TRUE(make_map(recipe_of(MapKind::fourier, 3, 8, 1, Laplacian{1.0}))->integrates());
  const std::vector<float> v(3, 1.0F);
  std::vector<float> features(8);
  const std::string sentence =
      "invalid_argument: nystrom has no closed form of the laplacian kernel for rows with error bars or missing "
      "values; "
      "use the gaussian kernel with nystrom, or fourier as the map";
  EXPECT_EQ(complaint([&] { phi->project_expected(normal_table(1, 3, 1).rows(), Rows(v, 3), features); }), sentence);
  EXPECT_EQ(complaint([&] { static_cast<void>(phi->own_similarity(v)); }), sentence);
}

}  // namespace
}  // namespace expose

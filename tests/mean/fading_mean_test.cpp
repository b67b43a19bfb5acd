// Proposition 3: the recursion against the explicit weighted sum.
#include "expose/mean/fading_mean.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

// The weights after t rows: (1 - gamma)^(t-1) for the first, gamma (1 - gamma)^age for the others.
std::vector<double> weights_of(std::size_t t, double gamma) {
  std::vector<double> weights(t);
  for (std::size_t i = 0; i < t; ++i) {
    weights[i] = (i == 0 ? 1.0 : gamma) * std::pow(1.0 - gamma, static_cast<double>(t - 1 - i));
  }
  return weights;
}

class FadingMeanOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(FadingMeanOf);

TEST_P(FadingMeanOf, Proposition3IsTheSumWithFadingWeights) {
  const Table table = normal_table(150, kD, 1);
  const SharedMap phi = map();
  std::vector<float> features(table.n() * phi->size());
  phi->project(table.rows(), features);
  for (const double gamma : {0.01, 0.3, 0.99}) {
    for (const std::size_t t : {1U, 2U, 65U, 150U}) {
      FadingMean fading(phi, Fading{gamma});
      fading.learn(table.rows().slice(0, t));
      const std::vector<double> weights = weights_of(t, gamma);
      double squares = 0;
      for (const double weight : weights) squares += weight * weight;
      EXPECT_NEAR(fading.effective_n(), 1 / squares, 1e-9 / squares);
      EXPECT_EQ(fading.rows(), t);
      for (std::size_t j = 0; j < phi->size(); ++j) {
        double expected = 0;
        for (std::size_t i = 0; i < t; ++i) expected += weights[i] * features[i * phi->size() + j];
        ASSERT_NEAR(fading.mean()[j], expected, 1e-12) << "gamma = " << gamma << ", t = " << t;
      }
    }
  }
}

TEST_P(FadingMeanOf, LearnsFeaturesAsItLearnsTheirRow) {
  const Table table = normal_table(40, kD, 13);
  FadingMean from_rows(map(), Fading{0.05});
  FadingMean from_features(map(), Fading{0.05});
  std::vector<float> features(map()->size());
  for (std::size_t i = 0; i < table.n(); ++i) {
    map()->project(table.rows().slice(i, i + 1), features);
    from_rows.learn(table.rows().slice(i, i + 1));
    from_features.learn_features(features);
    ASSERT_EQ(from_features, from_rows) << "row " << i;
  }
  const std::string size = std::to_string(map()->size());
  EXPECT_EQ(complaint([&] { from_features.learn_features({}); }),
            "shape_mismatch: a row has 0 features, the map gives " + size);
  EXPECT_EQ(from_features, from_rows);
}

TEST_P(FadingMeanOf, BlocksOfAnySizeAreRowByRow) {
  const Table table = normal_table(300, kD, 2);
  FadingMean single(map(), Fading{0.05});
  for (std::size_t i = 0; i < table.n(); ++i) single.learn(table.rows().slice(i, i + 1));
  for (const std::size_t block : {2U, 17U, 64U, 65U, 4096U}) {
    FadingMean fading(map(), Fading{0.05});
    for (std::size_t begin = 0; begin < table.n(); begin += block) {
      fading.learn(table.rows().slice(begin, std::min(table.n(), begin + block)));
    }
    EXPECT_EQ(fading, single) << "blocks of " << block;
  }
}

TEST_P(FadingMeanOf, GammaZeroKeepsTheFirstRowOnly) {
  const Table table = normal_table(20, kD, 3);
  FadingMean first(map(), Fading{0.0});
  first.learn(table.rows().slice(0, 1));
  FadingMean all(map(), Fading{0.0});
  all.learn(table.rows());
  EXPECT_EQ(all.mean(), first.mean());
  EXPECT_EQ(all.effective_n(), 1.0);
  EXPECT_EQ(all.rows(), 20U);
}

TEST_P(FadingMeanOf, OrderIsPartOfTheModel) {
  const Table table = normal_table(20, kD, 4);
  FadingMean forwards(map(), Fading{0.2});
  forwards.learn(table.rows());
  FadingMean otherwise(map(), Fading{0.2});
  otherwise.learn(pick(table, shuffled(20, 1)).rows());
  EXPECT_NE(forwards, otherwise);
}

TEST_P(FadingMeanOf, StateBringsBackTheSameModel) {
  const Table table = normal_table(20, kD, 5);
  FadingMean fading(map(), Fading{0.2});
  fading.learn(table.rows().slice(0, 10));
  FadingMean again = FadingMean::from_state(map(), Fading{0.2}, fading.state());
  EXPECT_EQ(again, fading);
  fading.learn(table.rows().slice(10, 20));
  again.learn(table.rows().slice(10, 20));
  EXPECT_EQ(again, fading);
  const FadingMean empty(map(), Fading{0.2});
  EXPECT_EQ(FadingMean::from_state(map(), Fading{0.2}, empty.state()), empty);
}

TEST(FadingMean, EffectiveRowsGrowTowardsTheirLimit) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 1, 2));
  FadingMean fading(map, Fading{0.01});
  EXPECT_EQ(fading.effective_n(), 0.0);
  EXPECT_EQ(fading.mean(), std::vector<double>(4, 0.0));
  const Table table = normal_table(3000, 1, 6);
  fading.learn(table.rows().slice(0, 1));
  EXPECT_EQ(fading.effective_n(), 1.0);
  fading.learn(table.rows().slice(1, 3000));
  EXPECT_NEAR(fading.effective_n(), 199.0, 1e-6);  // (2 - gamma) / gamma
}

TEST(FadingMean, RefusesBadInput) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8));
  EXPECT_EQ(complaint([&] { FadingMean(map, Fading{1.0}); }), "invalid_argument: gamma is 1; it must be in [0, 1)");
  EXPECT_EQ(complaint([&] { FadingMean(map, Fading{-0.5}); }), "invalid_argument: gamma is -0.5; it must be in [0, 1)");
  EXPECT_EQ(complaint([] { FadingMean(nullptr, Fading{0.5}); }),
            "invalid_argument: a fading mean needs a feature map, not a null pointer");
  FadingMean fading(map, Fading{0.1});
  fading.learn(normal_table(5, 2, 7).rows());
  const FadingMean before = fading;
  EXPECT_EQ(complaint([&] { fading.learn(normal_table(5, 3, 8).rows()); }),
            "shape_mismatch: rows have 3 columns, the map takes 2");
  Table bad = normal_table(200, 2, 9);
  bad.values[399] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(complaint([&] { fading.learn(bad.rows()); }), "not_finite: row 200, column 2 is nan");
  EXPECT_EQ(fading, before);
}

TEST(FadingMean, RefusesStatesThatNoRowsLeadTo) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 1));
  const auto complaint_of = [&](FadingMean::State state) {
    return complaint([&] { FadingMean::from_state(map, Fading{0.1}, state); });
  };
  EXPECT_EQ(complaint_of({3, 0.5, {0.1, 1.0}}), "no complaint");
  EXPECT_EQ(complaint_of({3, 0.5, {0.1}}), "corrupt: a fading mean has 1 numbers, its map has 2 features");
  EXPECT_EQ(complaint_of({3, 0.0, {0.1, 0.1}}),
            "corrupt: the squared weights of a fading mean of 3 rows add up to 0; they must add up to 1/3 to 1");
  EXPECT_EQ(complaint_of({3, std::nan(""), {0.1, 0.1}}),
            "corrupt: the squared weights of a fading mean of 3 rows add up to nan; they must add up to 1/3 to 1");
  EXPECT_EQ(complaint_of({3, 1e-300, {0.1, 0.1}}),  // or the effective number of rows would be infinite
            "corrupt: the squared weights of a fading mean of 3 rows add up to 1e-300; they must add up to 1/3 to 1");
  EXPECT_EQ(complaint_of({3, 1.5, {0.1, 0.1}}),
            "corrupt: the squared weights of a fading mean of 3 rows add up to 1.5; they must add up to 1/3 to 1");
  EXPECT_EQ(complaint_of({0, 1.0, {0.0, 0.0}}),
            "corrupt: the squared weights of a fading mean of 0 rows add up to 1; they must add up to 0");
  EXPECT_EQ(complaint_of({3, 0.5, {0.1, -2.5}}),
            "corrupt: number 2 of a fading mean is -2.5; its size can be at most 2");
  EXPECT_EQ(complaint_of({3, 0.5, {std::nan(""), 0.0}}),
            "corrupt: number 1 of a fading mean is nan; its size can be at most 2");
  EXPECT_EQ(complaint_of({0, 0.0, {0.0, 0.5}}), "corrupt: number 2 of a fading mean is 0.5; its size can be at most 0");
}

}  // namespace
}  // namespace expose

// Laws of learning: the order, the blocks, the threads and the partition never change a bit.
#include "expose/mean/mean_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "expose/base/pool.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

class MeanMapOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(MeanMapOf);

TEST_P(MeanMapOf, SumsExactlyWhatProjectGives) {
  const Table table = normal_table(100, kD, 1);
  const MeanMap mean = learned(map(), table.rows());
  std::vector<float> features(table.n() * map()->size());
  map()->project(table.rows(), features);
  std::vector<double> sum(map()->size(), 0.0);  // exact: multiples of 2^-22 far below 2^31
  for (std::size_t at = 0; at < features.size(); ++at) sum[at % sum.size()] += features[at];
  EXPECT_EQ(mean.sum(), sum);
  EXPECT_EQ(mean.weight(), 100.0);
  for (double& value : sum) value /= 100.0;
  EXPECT_EQ(mean.mean(), sum);
}

// sum_j phi_j sums_j in units of the grid, number j of each part fused into lane j mod 16, the lanes as a tree.
double cross(std::span<const float> phi, std::span<const std::int64_t> sums, std::size_t parts) {
  const std::size_t size = phi.size() / parts;
  double total = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double> lanes(16, 0.0);
    for (std::size_t j = part * size; j < (part + 1) * size; ++j) {
      double& lane = lanes[(j - part * size) % 16];
      lane = std::fma(static_cast<double>(phi[j]) * 0x1p22, static_cast<double>(sums[j]), lane);
    }
    for (std::size_t half = 8; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    total += lanes[0];
  }
  return total * FeatureMap::kGrid;
}

// Maps whose vectors are all full take a row in one pass, cosines and sines each in lanes of their own.
TEST_P(MeanMapOf, WatchingARowIsJudgingThenAdding) {
  const Table table = normal_table(40, kD, 8);
  if (map()->recipe().kind == MapKind::nystrom) {
    EXPECT_EQ(complaint([&] { MeanMap(map()).watch(table.rows()[0]); }),
              "invalid_argument: rows of a Nystrom map are judged by a Similarity: its metric is no multiple of 1");
    return;
  }
  const bool circle = !has_landmarks(map()->recipe().kind);
  for (const SharedMap& some : {map(), make_map(recipe_of(GetParam(), kD, 256, 1))}) {
    const std::size_t parts = circle && some->r() == 256 ? 2 : 1;
    std::vector<float> features(some->size());
    MeanMap plain(some), weighted(some);
    const std::vector<double> half = {0.5};
    weighted.add(table.rows().slice(0, 1), half);  // units of 1/1024 from here on
    for (std::size_t i = 0; i < table.n(); ++i) {
      some->project(table.rows().slice(i, i + 1), features);
      for (MeanMap* const mean : {&plain, &weighted}) {
        const double n = static_cast<double>(std::max<std::int64_t>(mean->state().weight, 1));
        const double metric = some->dual(std::vector<double>(some->size(), 1.0)).front();
        const double unit = FeatureMap::kGrid / n / std::round(1 / metric);
        const double eta = cross(features, mean->state().sums, parts) * unit;
        const std::vector<double> phi(features.begin(), features.end());
        EXPECT_NEAR(eta, inner(*some, phi, mean->mean()), 1e-9);
        EXPECT_EQ(mean->watch(table.rows()[i]), eta);
      }
    }
    EXPECT_EQ(plain, learned(some, table.rows()));
    MeanMap expected(some);
    expected.add(table.rows().slice(0, 1), half);
    expected.add(table.rows());
    EXPECT_EQ(weighted, expected);
  }
}

TEST_P(MeanMapOf, WatchesNoRowOfAnotherWidthAndNoNaN) {
  if (map()->recipe().kind == MapKind::nystrom) return;
  MeanMap mean(map());
  const std::vector<float> narrow(kD - 1, 0.0F);
  std::vector<float> bad(kD, 0.0F);
  bad[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(complaint([&] { mean.watch(narrow); }), "shape_mismatch: rows have 4 columns, the map takes 5");
  EXPECT_EQ(complaint([&] { mean.watch(bad); }), complaint([&] { mean.add(Rows(bad, kD)); }));
  EXPECT_EQ(mean, MeanMap(map()));
}

TEST_P(MeanMapOf, EveryNumberOfThreadsLearnsTheSame) {
  const Table table = normal_table(4 * 4096 + 7, kD, 2);
  const MeanMap alone = learned(map(), table.rows());
  for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
    Pool pool(threads);
    EXPECT_EQ(learned(map(), table.rows(), &pool), alone) << threads << " threads";
    MeanMap emptied = alone;
    emptied.subtract(table.rows(), &pool);
    EXPECT_EQ(emptied, MeanMap(map())) << threads << " threads";
  }
}

TEST_P(MeanMapOf, EveryBlockSizeLearnsTheSame) {
  const Table table = normal_table(5000, kD, 3);
  const MeanMap whole = learned(map(), table.rows());
  for (const std::size_t block : {1U, 2U, 17U, 4096U}) {
    MeanMap mean(map());
    for (std::size_t begin = 0; begin < table.n(); begin += block) {
      mean.add(table.rows().slice(begin, std::min(table.n(), begin + block)));
    }
    EXPECT_EQ(mean, whole) << "blocks of " << block;
  }
}

TEST_P(MeanMapOf, RowOrderDoesNotMatter) {
  const Table table = normal_table(1000, kD, 4);
  EXPECT_EQ(learned(map(), pick(table, shuffled(1000, 1)).rows()), learned(map(), table.rows()));
}

TEST_P(MeanMapOf, AnyPartitionMergedInAnyOrderIsTheWhole) {
  const Table table = normal_table(1000, kD, 5);
  const MeanMap whole = learned(map(), table.rows());
  std::vector<MeanMap> parts;
  const std::vector<std::size_t> cuts = {0, 1, 1, 300, 817, 1000};  // one of them empty
  for (std::size_t p = 1; p < cuts.size(); ++p) {
    parts.push_back(learned(map(), table.rows().slice(cuts[p - 1], cuts[p])));
  }
  EXPECT_EQ(parts[0] + parts[1] + parts[2] + parts[3] + parts[4], whole);
  EXPECT_EQ(parts[3] + ((parts[4] + parts[0]) + (parts[2] + parts[1])), whole);
  EXPECT_EQ(whole - parts[2] - parts[3], parts[4] + parts[0]);
}

TEST_P(MeanMapOf, ForgettingLeavesWhatWasThereBefore) {
  const Table kept = normal_table(200, kD, 6);
  const Table passing = normal_table(300, kD, 7, 1.0);
  MeanMap mean = learned(map(), kept.rows());
  const MeanMap before = mean;
  mean.add(passing.rows());
  EXPECT_NE(mean, before);
  mean.subtract(pick(passing, shuffled(300, 2)).rows());
  EXPECT_EQ(mean, before);
  mean.subtract(kept.rows());
  EXPECT_EQ(mean, MeanMap(map()));
}

// Proposition 1: mu[P_t] = mu[P_{t-1}] + (1/t) (phi(x_t) - mu[P_{t-1}]) is the mean of the batch.
TEST_P(MeanMapOf, Proposition1OnlineEqualsBatch) {
  const Table table = normal_table(200, kD, 8);
  MeanMap online(map());
  std::vector<double> mu(map()->size(), 0.0);
  std::vector<float> phi(map()->size());
  for (std::size_t t = 1; t <= table.n(); ++t) {
    online.add(table.rows().slice(t - 1, t));
    map()->project(table.rows().slice(t - 1, t), phi);
    for (std::size_t j = 0; j < mu.size(); ++j) mu[j] += (phi[j] - mu[j]) / static_cast<double>(t);
  }
  EXPECT_EQ(online, learned(map(), table.rows()));
  const std::vector<double> mean = online.mean();
  for (std::size_t j = 0; j < mu.size(); ++j) EXPECT_NEAR(mean[j], mu[j], 1e-13);
}

TEST_P(MeanMapOf, WholeWeightsAreRepetitions) {
  const Table table = normal_table(150, kD, 9);
  std::vector<double> weights;
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < table.n(); ++i) {
    weights.push_back(static_cast<double>(i % 5));
    for (std::size_t k = 0; k < i % 5; ++k) repeated.push_back(i);
  }
  MeanMap weighted(map());
  weighted.add(table.rows(), weights);
  EXPECT_EQ(weighted, learned(map(), pick(table, repeated).rows()));
  weighted.subtract(table.rows(), weights);
  EXPECT_EQ(weighted, MeanMap(map()));
}

TEST_P(MeanMapOf, FractionalWeightsAreRoundedTo1024ths) {
  const Table table = normal_table(2, kD, 10);
  MeanMap mean(map());
  mean.add(table.rows(), std::vector<double>{0.3, 2.0 / 1024});
  MeanMap multiples(map());
  multiples.add(table.rows(), std::vector<double>{307, 2});  // 0.3 * 1024 = 307.2
  EXPECT_EQ(mean.weight(), 309.0 / 1024);
  EXPECT_EQ(mean * 1024, multiples);
  EXPECT_EQ(mean.mean(), multiples.mean());
  MeanMap nothing(map());
  nothing.add(table.rows(), std::vector<double>{0.0004, 0.0});  // less than half a unit
  EXPECT_EQ(nothing, MeanMap(map()));
}

TEST_P(MeanMapOf, FractionsThatAddUpAreWhole) {
  const Table table = normal_table(50, kD, 11);
  const std::vector<double> quarter(50, 0.25);
  MeanMap mean(map());
  mean.add(table.rows(), quarter);
  mean.add(table.rows());  // whole rows on top of fractions
  mean.add(table.rows(), std::vector<double>(50, 0.75));
  EXPECT_EQ(mean, learned(map(), table.rows()) * 2);
  EXPECT_EQ(learned(map(), table.rows()) * 2, mean);
  EXPECT_EQ(mean.mean(), learned(map(), table.rows()).mean());
  mean.subtract(table.rows(), quarter);
  EXPECT_NE(mean, learned(map(), table.rows()) * 2);
  mean.add(table.rows(), quarter);
  mean.subtract(table.rows());
  mean -= learned(map(), table.rows());
  EXPECT_EQ(mean, MeanMap(map()));
}

TEST_P(MeanMapOf, SharesItsRowsWithNobody) {
  MeanMap mean = learned(map(), normal_table(10, kD, 12).rows());
  const MeanMap copy = mean;
  mean += mean;
  EXPECT_EQ(mean, copy * 2);
  mean -= mean;
  EXPECT_EQ(mean, MeanMap(map()));
  EXPECT_EQ(copy.weight(), 10.0);
}

TEST_P(MeanMapOf, IsNotEqualToAnotherSeedsModel) {
  EXPECT_NE(MeanMap(map(1)), MeanMap(map(2)));
  EXPECT_EQ(MeanMap(map(1)), MeanMap(map(1)));  // equal recipes, two objects
}

TEST_P(MeanMapOf, EqualMeansHaveEqualWeightsAndEveryUnitOfTheirSums) {
  const auto with = [&](std::int64_t weight, std::int64_t units, std::int64_t sum) {
    return MeanMap::from_state(map(), {weight, units, AlignedVector<std::int64_t>(map()->size(), sum)});
  };
  EXPECT_EQ(with(2, 1, 5), with(2 * 1024, 1024, 5 * 1024));
  EXPECT_EQ(with(2 * 1024, 1024, -5 * 1024), with(2, 1, -5));
  EXPECT_NE(with(2, 1, 5), with(3, 1, 5));
  EXPECT_NE(with(2, 1, 5), with(2 * 1024 + 1, 1024, 5 * 1024));
  EXPECT_NE(with(2, 1, 5), with(2 * 1024, 1024, 5 * 1024 + 1));
  EXPECT_NE(with(2 * 1024, 1024, 4 * 1024), with(2, 1, 5));
}

TEST_P(MeanMapOf, StateBringsBackTheSameModel) {
  const Table table = normal_table(10, kD, 13);
  MeanMap mean = learned(map(), table.rows());
  EXPECT_EQ(MeanMap::from_state(map(), mean.state()), mean);
  mean *= 0.3;
  const MeanMap again = MeanMap::from_state(map(), mean.state());
  EXPECT_EQ(again, mean);
  EXPECT_EQ(again.mean(), mean.mean());
}

TEST_P(MeanMapOf, EmptyIsZero) {
  const MeanMap mean(map());
  EXPECT_EQ(mean.weight(), 0.0);
  EXPECT_EQ(mean.mean(), std::vector<double>(map()->size(), 0.0));
  EXPECT_EQ(mean.sum(), std::vector<double>(map()->size(), 0.0));
  MeanMap added = mean;
  added.add(normal_table(0, kD, 0).rows());
  EXPECT_EQ(added, mean);
}

// Rows that were projected already, some of them turned away, and after fractional weights.
TEST_P(MeanMapOf, AddingFeaturesIsAddingTheirRows) {
  const Table table = normal_table(700, kD, 1);
  std::vector<float> features(table.n() * map()->size());
  map()->project(table.rows(), features);
  std::vector<char> keep(table.n(), 1);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < table.n(); ++i) {
    keep[i] = i % 4 == 0 ? 0 : 1;
    if (keep[i] != 0) kept.push_back(i);
  }
  MeanMap all(map()), some(map());
  all.add_features(features);
  some.add_features(features, keep);
  EXPECT_EQ(all, learned(map(), table.rows()));
  EXPECT_EQ(some, learned(map(), pick(table, kept).rows()));
  some *= 0.5;
  MeanMap expected = some;
  some.add_features(features, keep);
  expected.add(pick(table, kept).rows());
  EXPECT_EQ(some, expected);
}

TEST_P(MeanMapOf, RefusesFeaturesThatAreNoWholeRows) {
  MeanMap mean(map());
  const std::vector<float> features(3 * map()->size(), 0.5F);
  EXPECT_NE(complaint([&] { mean.add_features(std::span(features).first(features.size() - 1)); }), "no complaint");
  EXPECT_EQ(complaint([&] { mean.add_features(features, std::vector<char>(2, 1)); }),
            "shape_mismatch: there are the features of 3 rows and 2 marks of which to keep");
  EXPECT_EQ(mean, MeanMap(map()));
}

}  // namespace
}  // namespace expose

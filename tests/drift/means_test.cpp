// The distance of two means with the rows that were turned away, against the slow obvious version; the level of its
// test.
#include "expose/drift/means.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expose/base/pool.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

using Means = EveryMap;

TEST_P(Means, DistanceIsMmdWhereNobodyIsTurnedAway) {
  const MeanMap a = learned(map(), normal_table(40, kD, 1).rows());
  const MeanMap b = learned(map(), normal_table(60, kD, 2, 0.5).rows());
  const double distance = squared_distance(*map(), side_of(a, 0), side_of(b, 0));
  EXPECT_NEAR(distance, mmd(a, b) * mmd(a, b), 1e-9);
  EXPECT_EQ(squared_distance(*map(), side_of(a, 0), side_of(a, 0)), 0.0);
}

// phi' = (phi, 0) for rows that pass and (0, 1) for those that do not.
TEST_P(Means, RowsTurnedAwayAreOneMoreFeature) {
  const MeanMap a = learned(map(), normal_table(30, kD, 1).rows());
  const MeanMap b = learned(map(), normal_table(50, kD, 2).rows());
  std::vector<double> difference = a.sum();
  const std::vector<double> other = b.sum();
  for (std::size_t j = 0; j < difference.size(); ++j) difference[j] = difference[j] / 40 - other[j] / 80;
  const double q = 10.0 / 40 - 30.0 / 80;
  EXPECT_NEAR(squared_distance(*map(), side_of(a, 10), side_of(b, 30)), inner(*map(), difference, difference) + q * q,
              1e-12);
}

// Rows of one kind, on a map that knows none of them, with a gate that turns away by their first column.
struct Sample {
  Table table;
  std::vector<char> passes;
  Side side;
};
Sample sample_of(const SharedMap& map, std::size_t n, std::uint64_t seed, double centre = 0.0) {
  Sample sample{normal_table(n, map->d(), seed, centre), {}, {}};
  MeanMap mean(map);
  double outside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sample.passes.push_back(sample.table.rows()[i][0] > -1 ? 1 : 0);
    if (sample.passes[i] != 0) mean.add(sample.table.rows().slice(i, i + 1));
    outside += sample.passes[i] != 0 ? 0 : 1;
  }
  sample.side = side_of(mean, outside);
  return sample;
}

double p_of(const SharedMap& map, const Sample& a, const Sample& b, Pool* pool = nullptr) {
  std::vector<float> rows = a.table.values;
  rows.insert(rows.end(), b.table.values.begin(), b.table.values.end());
  std::vector<char> passes = a.passes;
  passes.insert(passes.end(), b.passes.begin(), b.passes.end());
  std::vector<float> features(passes.size() * map->size());
  map->project(Rows(rows, map->d()), features);
  return mean_p_value(*map, a.side, b.side, {features, passes}, pool);
}

// 200 pairs at 5 %: 10 expected, with an sd of 3.1.
TEST(MeanTest, FlagsSamplesOfOneKindAsOftenAsItSays) {
  for (const MapKind kind : {MapKind::fourier, MapKind::nystrom}) {
    const SharedMap map = make_map(recipe_of(kind, 3, 40));
    int flagged = 0;
    for (std::uint64_t pair = 0; pair < 200; ++pair) {
      flagged += p_of(map, sample_of(map, 80, 2 * pair + 5000), sample_of(map, 60, 2 * pair + 5001)) <= 0.05 ? 1 : 0;
    }
    EXPECT_NEAR(flagged, 10, 9) << name(kind);
  }
}

TEST(MeanTest, SeesWhatMovedAndWhatLeft) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 3, 40));
  const Sample a = sample_of(map, 200, 1);
  EXPECT_LT(p_of(map, a, sample_of(map, 200, 2, 1.0)), 1e-6);
  const Sample gone = sample_of(map, 200, 3, -9.0);  // all of them outside
  EXPECT_EQ(gone.side.turned_away, 200.0);
  EXPECT_LT(p_of(map, a, gone), 1e-6);
}

TEST(MeanTest, PoolDecidesNoBit) {
  const SharedMap map = make_map(recipe_of(MapKind::nystrom, 3, 40));
  const Sample a = sample_of(map, 50, 1), b = sample_of(map, 50, 2);
  Pool pool(3);
  EXPECT_EQ(p_of(map, a, b), p_of(map, a, b, &pool));
}

TEST(MeanTest, NothingToCompareIsNoDrift) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 3, 40));
  const Sample a = sample_of(map, 50, 1), nothing = sample_of(map, 0, 2);
  EXPECT_EQ(p_of(map, a, nothing), 1.0);
  EXPECT_EQ(p_of(map, nothing, nothing), 1.0);
}

EXPOSE_FOR_EVERY_MAP(Means);

}  // namespace
}  // namespace expose

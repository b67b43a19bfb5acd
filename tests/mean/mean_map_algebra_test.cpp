// Merging, scaling, comparing: exactness at the edges of what integers hold, and the oracles of inner and mmd.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "expose/base/hash.hpp"
#include "expose/mean/mean_map.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr double kMostRows = 0x1p40;
constexpr double kMostFractional = 0x1p30;

class MeanAlgebraOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(MeanAlgebraOf);

TEST_P(MeanAlgebraOf, WholeFactorsAreRepetitions) {
  const Table table = normal_table(20, kD, 1);
  const MeanMap once = learned(map(), table.rows());
  EXPECT_EQ(once * 3, once + once + once);
  EXPECT_EQ(3 * once - once, 2 * once);
  EXPECT_EQ(once * 0, MeanMap(map()));
  EXPECT_EQ(once * 1, once);
}

TEST_P(MeanAlgebraOf, ScalingARowIsLearningItWithThatWeight) {
  const Table row = normal_table(1, kD, 2);
  for (const double factor : {0.5, 0.3, 1.7, 0.001, 0.0001}) {
    MeanMap weighted(map());
    weighted.add(row.rows(), std::vector<double>{factor});
    EXPECT_EQ(learned(map(), row.rows()) * factor, weighted) << factor;
  }
}

TEST_P(MeanAlgebraOf, ScalingLeavesTheMeanWhereItIs) {
  const Table table = normal_table(7, kD, 3);
  const MeanMap mean = learned(map(), table.rows());
  const MeanMap scaled = mean * 0.1;
  EXPECT_EQ(scaled.weight(), 717.0 / 1024);  // 716.8
  const std::vector<double> a = mean.mean();
  const std::vector<double> b = scaled.mean();
  const double half_a_unit = 0.5 * FeatureMap::kGrid / 717;
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], half_a_unit + 1e-15);
  EXPECT_EQ(mean * 0.5 * 2, mean);
  EXPECT_EQ((mean * 0.00001).weight(), 0.0);
  EXPECT_EQ(mean * 0.00001, MeanMap(map()));
}

TEST_P(MeanAlgebraOf, InnerIsTheMeanOfTheKernelMatrix) {
  const Table x = normal_table(40, kD, 4);
  const Table z = normal_table(30, kD, 5, 0.5);
  const std::vector<double> k = kernel_matrix(*map(), x.rows(), z.rows());
  double sum = 0;
  for (const double value : k) sum += value;
  EXPECT_NEAR(inner(learned(map(), x.rows()), learned(map(), z.rows())), sum / 1200, 1e-6);
}

TEST_P(MeanAlgebraOf, MmdIsTheDistanceOfTheMeans) {
  const Table x = normal_table(40, kD, 6);
  const Table z = normal_table(30, kD, 7, 0.5);
  const MeanMap a = learned(map(), x.rows());
  const MeanMap b = learned(map(), z.rows());
  EXPECT_GT(mmd(a, b), 0.1);
  EXPECT_NEAR(mmd(a, b) * mmd(a, b), inner(a, a) + inner(b, b) - 2 * inner(a, b), 1e-9);
  EXPECT_EQ(mmd(a, b), mmd(b, a));
  EXPECT_EQ(mmd(a, a * 2), 0.0);
  EXPECT_NEAR(mmd(a, MeanMap(map())), std::sqrt(inner(a, a)), 1e-12);
  EXPECT_EQ(inner(a, MeanMap(map())), 0.0);
}

// Against the exact kernel: <mu_a, mu_b> = (1/nm) sum_ij k(x_i, z_j), and mmd from three such sums.
TEST(MeanAlgebra, AgreesWithTheKernelDoubleSum) {
  const Table x = normal_table(60, 5, 8);
  const Table z = normal_table(50, 5, 9, 0.7);
  for (const MapKind kind : {MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::nystrom}) {
    Recipe recipe = recipe_of(kind, 5, kind == MapKind::nystrom ? 110 : 8192);
    if (kind == MapKind::nystrom) {  // every row a landmark: then nothing is approximate
      recipe.landmarks = x.values;
      recipe.landmarks.insert(recipe.landmarks.end(), z.values.begin(), z.values.end());
    }
    const SharedMap map = make_map(recipe);
    const double xx = mean_kernel(recipe.kernel, x.rows(), x.rows());
    const double xz = mean_kernel(recipe.kernel, x.rows(), z.rows());
    const double zz = mean_kernel(recipe.kernel, z.rows(), z.rows());
    const MeanMap a = learned(map, x.rows());
    const MeanMap b = learned(map, z.rows());
    const double tolerance = kind == MapKind::nystrom ? 1e-4 : 0.02;
    EXPECT_NEAR(inner(a, b), xz, tolerance) << name(kind);
    EXPECT_NEAR(inner(a, a), xx, tolerance) << name(kind);
    EXPECT_NEAR(mmd(a, b), std::sqrt(xx + zz - 2 * xz), tolerance) << name(kind);
  }
}

// Scaling needs products of up to 102 bits: here against arithmetic of 128.
TEST(MeanAlgebra, ScalesByExactRatiosRoundedToNearest) {
  __extension__ using Wide = __int128;
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 64));
  Random random(5, 0);
  for (int trial = 0; trial < 200; ++trial) {
    MeanMap::State state{static_cast<std::int64_t>(random.below(std::uint64_t{1} << (1 + trial % 40)) + 1), 1024, {}};
    const std::int64_t bound = state.weight * ((1 << 22) + (1 << 12));  // the largest sums there are
    for (std::size_t j = 0; j < map->size(); ++j) {
      state.sums.push_back(static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(bound) + 1)) - bound);
    }
    state.sums[0] = bound;
    state.sums[1] = -bound;
    const double factor = random.uniform();
    const MeanMap::State scaled = (MeanMap::from_state(map, state) * factor).state();
    ASSERT_EQ(scaled.weight, std::llround(static_cast<double>(state.weight) * factor));
    for (std::size_t j = 0; j < map->size(); ++j) {
      const Wide doubled = Wide{2} * state.sums[j] * scaled.weight;
      const Wide away = doubled < 0 ? -Wide{state.weight} : Wide{state.weight};
      ASSERT_EQ(scaled.sums[j], static_cast<std::int64_t>((doubled + away) / (2 * Wide{state.weight})))
          << state.sums[j] << " * " << scaled.weight << " / " << state.weight;
    }
  }
}

// Rounding by operator*= may leave a sum just beyond what the weight allows; that is not the caller's mistake.
TEST(MeanAlgebra, UnmergingScaledModelsForgivesTheirRounding) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 256));
  const MeanMap a = learned(map, normal_table(1, 2, 1).rows());
  const MeanMap b = learned(map, normal_table(5, 2, 2).rows());
  // 6 rows weigh 10.44 units, rounded to 10, and 5 of them 8.70, rounded to 9: 1 is left where it should be 1.74.
  MeanMap rest = (a + b) * 0.0017;
  EXPECT_EQ(rest.state().weight, 10);
  EXPECT_EQ(complaint([&] { rest -= b * 0.0017; }), "no complaint");
  EXPECT_EQ(rest.state().weight, 1);
  for (const double value : rest.mean()) EXPECT_LE(std::abs(value), 1.001);
}

class MeanAlgebraEdge : public testing::Test {
 protected:
  const SharedMap map_ = make_map(recipe_of(MapKind::fourier, 2, 32));
  const Table near_ = normal_table(1, 2, 10);
  const Table far_ = normal_table(1, 2, 11, 3.0);
  const MeanMap one_ = learned(map_, near_.rows());
};

TEST_F(MeanAlgebraEdge, HoldsTwoToTheFortyRowsExactly) {
  MeanMap full = one_ * kMostRows;
  EXPECT_EQ(full.weight(), kMostRows);
  EXPECT_EQ(full.mean(), one_.mean());
  full.subtract(near_.rows());
  full.add(near_.rows());
  EXPECT_EQ(full, one_ * kMostRows);
}

TEST_F(MeanAlgebraEdge, RefusesOneRowMore) {
  const MeanMap full = one_ * kMostRows;
  MeanMap mean = full;
  EXPECT_EQ(complaint([&] { mean.add(far_.rows()); }),
            "overflow: weight 1 does not fit on top of weight 1099511627776: exact sums hold at most 1099511627776");
  EXPECT_EQ(complaint([&] { mean += one_; }),
            "overflow: a mean would have to hold weight 1099511627777: exact sums hold at most 1099511627776");
  EXPECT_EQ(complaint([&] { mean.add(far_.rows(), std::vector<double>{1}); }),
            "overflow: a mean would have to hold weight 1099511627777: exact sums hold at most 1099511627776");
  EXPECT_EQ(complaint([&] { mean *= 2; }),
            "overflow: weight 1099511627776 cannot be multiplied by 2: exact sums hold at most 1099511627776");
  EXPECT_EQ(complaint([&] { mean *= std::numeric_limits<double>::max(); }).substr(0, 8), "overflow");
  EXPECT_EQ(mean, full);
}

TEST_F(MeanAlgebraEdge, RefusesFractionsOnTopOfTooManyRows) {
  const MeanMap full = one_ * kMostFractional;
  MeanMap mean = full;
  EXPECT_EQ(complaint([&] { mean.add(far_.rows(), std::vector<double>{0.5}); }),
            "overflow: a mean would have to hold weight 1073741824.5 in steps of 1/1024: exact sums hold at most "
            "1073741824");
  EXPECT_EQ(mean, full);
  mean.subtract(near_.rows(), std::vector<double>{0.5});
  mean.add(near_.rows(), std::vector<double>{0.5});
  EXPECT_EQ(mean, full);
  EXPECT_EQ(complaint([&] { mean.add(far_.rows()); }),
            "overflow: weight 1 does not fit on top of weight 1073741824: exact sums hold at most 1073741824");
  EXPECT_EQ(mean, full);
  MeanMap more = one_ * (kMostFractional + 1);
  EXPECT_EQ(complaint([&] { more *= 0.5; }),
            "overflow: weight 1073741825 cannot be multiplied by 0.5: exact sums hold at most 1073741824");
  EXPECT_EQ(complaint([&] { more.subtract(near_.rows(), std::vector<double>{0.5}); }),
            "overflow: a mean would have to hold weight 1073741825 in steps of 1/1024: exact sums hold at most "
            "1073741824");
  EXPECT_EQ(more, one_ * (kMostFractional + 1));
}

TEST_F(MeanAlgebraEdge, RefusesWeightsThatDoNotFitThemselves) {
  const Table two = normal_table(2, 2, 12);
  MeanMap mean(map_);
  EXPECT_EQ(complaint([&] {
              mean.add(two.rows(), std::vector<double>{1, kMostRows * 2});
            }),
            "overflow: row 2 has weight 2199023255552: exact sums hold at most 1099511627776");
  EXPECT_EQ(complaint([&] {
              mean.add(two.rows(), std::vector<double>{kMostRows, 1});
            }),
            "overflow: weight 1 does not fit on top of weight 1099511627776: exact sums hold at most 1099511627776");
  EXPECT_EQ(complaint([&] {
              mean.add(two.rows(), std::vector<double>{0.5, 1e300});
            }),
            "overflow: row 2 has weight 1e+300: exact sums hold at most 1073741824");
  EXPECT_EQ(mean, MeanMap(map_));
}

TEST_F(MeanAlgebraEdge, SubtractsTheFullestFromTheFullest) {
  const MeanMap full = one_ * kMostRows;
  EXPECT_EQ(full - full, MeanMap(map_));
  MeanMap mean = full;  // sums of opposite signs: their difference does not fit into 64 bits with a sign
  EXPECT_EQ(complaint([&] { mean -= learned(map_, far_.rows()) * kMostRows; }).substr(0, 40),
            "not_found: some of this was never learne");
  EXPECT_EQ(mean, full);
}

TEST_F(MeanAlgebraEdge, RefusesFactorsThatAreNone) {
  MeanMap mean = one_;
  EXPECT_EQ(complaint([&] { mean *= -1; }),
            "invalid_argument: a mean can be multiplied by a finite factor >= 0, not by -1");
  EXPECT_EQ(complaint([&] { mean *= std::nan(""); }),
            "invalid_argument: a mean can be multiplied by a finite factor >= 0, not by nan");
  EXPECT_EQ(complaint([&] { mean *= std::numeric_limits<double>::infinity(); }),
            "invalid_argument: a mean can be multiplied by a finite factor >= 0, not by inf");
  EXPECT_EQ(mean, one_);
}

TEST_F(MeanAlgebraEdge, RefusesModelsOfAnotherMapNamingBoth) {
  const SharedMap other_map = make_map(recipe_of(MapKind::fourier, 2, 32, 99));
  const MeanMap other = learned(other_map, near_.rows());
  const std::string sentence = "incompatible: these belong to different maps: one has fingerprint " +
                               hex(map_->fingerprint()) + ", the other " + hex(other_map->fingerprint());
  MeanMap mean = one_;
  EXPECT_EQ(complaint([&] { mean += other; }), sentence);
  EXPECT_EQ(complaint([&] { mean -= other; }), sentence);
  EXPECT_EQ(complaint([&] { inner(mean, other); }), sentence);
  EXPECT_EQ(complaint([&] { mmd(mean, other); }), sentence);
  EXPECT_EQ(mean, one_);
}

}  // namespace
}  // namespace expose

#include "expose/map/feature_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose {
namespace {

constexpr MapKind kKinds[] = {MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::nystrom, MapKind::isolation};

std::vector<double> judge(const FeatureMap& map, Rows rows, const Folded& folded) {
  std::vector<double> eta(rows.n());
  map.similarity(rows, folded, eta);
  return eta;
}

class Maps : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(Maps);

TEST_P(Maps, ShapeFollowsTheRecipe) {
  const SharedMap phi = map();
  EXPECT_EQ(phi->d(), kD);
  EXPECT_EQ(phi->r(), kR);
  EXPECT_EQ(phi->size(), has_landmarks(GetParam()) ? kR : 2 * kR);
  const std::size_t blocks[] = {1, 16, 16, 0, 4};
  EXPECT_EQ(phi->block(), blocks[static_cast<std::size_t>(GetParam())]);
}

// Law 2: a map is its recipe.
TEST_P(Maps, RebuiltFromItsRecipeIsTheSame) {
  const SharedMap a = map(3);
  const SharedMap b = make_map(Recipe(a->recipe()));
  EXPECT_EQ(a->fingerprint(), b->fingerprint());
  const Table x = normal_table(20, kD, 1);
  std::vector<float> of_a(20 * a->size()), of_b(20 * b->size());
  a->project(x.rows(), of_a);
  b->project(x.rows(), of_b);
  EXPECT_EQ(of_a, of_b);
}

TEST_P(Maps, FingerprintTellsEveryPartOfTheRecipe) {
  const Recipe recipe = recipe_of(GetParam(), kD, kR, 3);
  std::vector<std::uint64_t> prints = {make_map(recipe)->fingerprint()};
  prints.push_back(make_map(recipe_of(GetParam(), kD, kR, 4))->fingerprint());
  prints.push_back(make_map(recipe_of(GetParam(), kD + 1, kR, 3))->fingerprint());
  prints.push_back(make_map(recipe_of(GetParam(), kD, kR + 1, 3))->fingerprint());
  const bool of_a_kernel = GetParam() != MapKind::isolation;  // which is one of its own
  for (const Kernel& kernel : {Kernel(Gaussian{2.5}), Kernel(Matern32{2.0})}) {
    const std::uint64_t print = make_map(recipe_of(GetParam(), kD, kR, 3, kernel))->fingerprint();
    if (of_a_kernel) prints.push_back(print);
    EXPECT_EQ(print == prints[0], !of_a_kernel);
  }
  for (const MapKind other : kKinds) {
    if (other != GetParam()) prints.push_back(make_map(recipe_of(other, kD, kR, 3))->fingerprint());
  }
  std::sort(prints.begin(), prints.end());
  EXPECT_EQ(std::adjacent_find(prints.begin(), prints.end()), prints.end());
}

// A larger map begins with the frequencies of the smaller one.
TEST_P(Maps, MoreFrequenciesKeepTheFirst) {
  if (has_landmarks(GetParam())) return;  // they are not drawn
  const SharedMap small = make_map(recipe_of(GetParam(), kD, 16, 3));
  const SharedMap large = make_map(recipe_of(GetParam(), kD, 256, 3));
  const Table x = normal_table(1, kD, 1);
  std::vector<float> few(small->size()), many(large->size());
  small->project(x.rows(), few);
  large->project(x.rows(), many);
  std::vector<float> first;
  for (std::size_t j = 0; j < large->r(); ++j) {
    if (large->block_of(j) < small->r() / small->block()) first.push_back(many[j]);
  }
  EXPECT_EQ(first, std::vector<float>(few.begin(), few.begin() + 16));
}

TEST_P(Maps, EveryFrequencyLiesInABlock) {
  if (has_landmarks(GetParam())) return;
  const SharedMap phi = make_map(recipe_of(GetParam(), 20, 700));  // blocks of 32: 21 whole ones and 28 frequencies
  std::vector<std::size_t> members(phi->r(), 0);
  for (std::size_t j = 0; j < phi->r(); ++j) ++members.at(phi->block_of(j));
  if (phi->block() == 1) return;
  EXPECT_EQ(phi->block(), 32U);
  for (std::size_t b = 0; b < 21; ++b) EXPECT_EQ(members[b], 32U);
  EXPECT_EQ(members[21], 28U);
}

// Law 1: one row, a block, rows with a stride, every target.
TEST_P(Maps, ARowAloneEqualsTheSameRowInABlock) {
  const SharedMap phi = map();
  const Table x = normal_table(100, kD, 2);
  const Folded folded = phi->fold(mean_features(*phi, x.rows()));
  std::vector<float> block(x.n() * phi->size()), one(phi->size());
  phi->project(x.rows(), block);
  const std::vector<double> etas = judge(*phi, x.rows(), folded);
  std::vector<float> wide;  // the same rows, 3 numbers apart
  for (std::size_t i = 0; i < x.n(); ++i) {
    wide.insert(wide.end(), x.rows()[i].begin(), x.rows()[i].end());
    wide.insert(wide.end(), 3, std::numeric_limits<float>::quiet_NaN());
  }
  EXPECT_EQ(judge(*phi, Rows(wide.data(), x.n(), kD, kD + 3), folded), etas);
  for (std::size_t i = 0; i < x.n(); ++i) {
    const Rows row = x.rows().slice(i, i + 1);
    phi->project(row, one);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), block.begin() + static_cast<std::ptrdiff_t>(i * phi->size())));
    EXPECT_EQ(judge(*phi, row, folded)[0], etas[i]);
  }
}

TEST_P(Maps, EveryTargetGivesTheSameBits) {
  for (const std::size_t d : {1U, 10U, 40U}) {
    for (const std::size_t r : {1U, 33U, 300U}) {
      for (const Kernel& kernel : {Kernel(Gaussian{1.5}), Kernel(Matern32{1.5}), Kernel(Matern52{1.5})}) {
        const SharedMap phi = make_map(recipe_of(GetParam(), d, r, 7, kernel));
        const Table x = normal_table(30, d, 3);
        std::vector<std::vector<double>> means, etas;
        on_every_target([&](const std::string&) {
          means.push_back(mean_features(*phi, x.rows()));
          etas.push_back(judge(*phi, x.rows(), phi->fold(means.back())));
        });
        for (std::size_t t = 1; t < means.size(); ++t) {
          ASSERT_EQ(means[t], means[0]) << "d " << d << " r " << r;
          ASSERT_EQ(etas[t], etas[0]) << "d " << d << " r " << r;
        }
      }
    }
  }
}

// Theorem 1: eta(z) = <phi(z), mu>. Judging takes another order than the inner product and agrees to 1e-5.
TEST_P(Maps, SimilarityIsTheInnerProductWithTheMean) {
  for (const std::size_t r : {1U, 48U, 500U}) {
    const SharedMap phi = make_map(recipe_of(GetParam(), kD, r));
    const Table x = normal_table(200, kD, 4), z = normal_table(50, kD, 5);
    const std::vector<double> mean = mean_features(*phi, x.rows());
    const std::vector<double> dual = phi->dual(mean);
    const std::vector<double> eta = judge(*phi, z.rows(), phi->fold(mean));
    std::vector<float> features(z.n() * phi->size());
    phi->project(z.rows(), features);
    for (std::size_t i = 0; i < z.n(); ++i) {
      double inner = 0;
      for (std::size_t j = 0; j < phi->size(); ++j)
        inner += static_cast<double>(features[i * phi->size() + j]) * dual[j];
      EXPECT_NEAR(eta[i], inner, 1e-5);
    }
  }
}

// A phase beyond 2^23 turns has no fraction left; far rows must look like nothing, not like the origin.
TEST_P(Maps, FarRowsAreUnlikeEverything) {
  const SharedMap phi = make_map(recipe_of(GetParam(), kD, 500));
  const Table x = normal_table(300, kD, 6);
  const Folded folded = phi->fold(mean_features(*phi, x.rows()));
  for (const float far : {1e3F, 1e6F, 1e20F, std::numeric_limits<float>::max()}) {
    const Table z{{far, -far, far, far, -far}, kD};
    EXPECT_LT(std::abs(judge(*phi, z.rows(), folded)[0]), 0.2) << far;
  }
}

// The ends of what a bandwidth may be: features stay numbers in [-1, 1], and equal rows stay equal.
TEST_P(Maps, ExtremeBandwidthsStayFinite) {
  for (const double s : {1e-15, 1e15}) {
    for (const Kernel& kernel : {Kernel(Gaussian{s}), Kernel(Matern32{s}), Kernel(Matern52{s})}) {
      const SharedMap phi = make_map(recipe_of(GetParam(), kD, 40, 3, kernel));
      const Table x{{0.0F, 1e-15F, 1.0F, -1e15F, 1e38F}, kD};
      std::vector<float> features(phi->size());
      phi->project(x.rows(), features);
      for (const float value : features) ASSERT_LE(std::abs(value), 1.001F) << name(kernel) << s;
    }
  }
}

TEST_P(Maps, RefuseBadRowsAndTakeNothing) {
  const SharedMap phi = map();
  std::vector<std::int64_t> sums(phi->size(), 0);
  Table x = normal_table(4, kD, 7);
  x.values[2 * kD + 1] = std::nanf("");
  EXPECT_EQ(complaint([&] { phi->accumulate(x.rows(), sums); }), "not_finite: row 3, column 2 is nan");
  x.values[2 * kD + 1] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(complaint([&] { phi->accumulate(x.rows(), sums); }), "not_finite: row 3, column 2 is inf");
  const Table narrow = normal_table(4, kD - 1, 7);
  EXPECT_EQ(complaint([&] { phi->accumulate(narrow.rows(), sums); }),
            "shape_mismatch: rows have 4 columns, the map takes 5");
  EXPECT_EQ(sums, std::vector<std::int64_t>(phi->size(), 0));
  std::vector<float> short_by_one(4 * phi->size() - 1);
  EXPECT_NE(complaint([&] { phi->project(normal_table(4, kD, 8).rows(), short_by_one); }), "no complaint");
  std::vector<double> eta(4);
  EXPECT_NE(complaint([&] { phi->similarity(normal_table(4, kD, 8).rows(), Folded{}, eta); }), "no complaint");
}

TEST_P(Maps, NoRowsAreNoWork) {
  const SharedMap phi = map();
  std::vector<std::int64_t> sums(phi->size(), 3);
  phi->accumulate(Rows(), sums);
  EXPECT_EQ(sums, std::vector<std::int64_t>(phi->size(), 3));
}

TEST_P(Maps, RefuseImpossibleRecipes) {
  const auto refused = [](Recipe recipe) { return complaint([&] { make_map(recipe); }); };
  Recipe recipe = recipe_of(GetParam(), kD, kR);
  recipe.d = 0;
  EXPECT_EQ(refused(recipe), "invalid_argument: a map needs at least 1 column, d is 0");
  recipe = recipe_of(GetParam(), kD, kR);
  recipe.r = 0;
  EXPECT_EQ(refused(recipe), "invalid_argument: a map needs at least 1 frequency or landmark, r is 0");
  for (const double bad : {0.0, -2.0, std::nan("")}) {
    EXPECT_EQ(refused(recipe_of(GetParam(), kD, kR, 1, Gaussian{bad})).find("invalid_argument: the bandwidth"), 0U);
  }
  recipe = recipe_of(GetParam(), kD, kR);
  recipe.landmarks.resize(3);
  const std::string kind = name(GetParam());
  EXPECT_EQ(refused(recipe),
            has_landmarks(GetParam())
                ? "shape_mismatch: " + kind + " needs r x d = " + std::to_string(kR) +
                      " x 5 numbers for its landmarks, it was given 3"
                : "invalid_argument: only nystrom, isolation and given have landmarks, the map is " + kind);
}

TEST(StructuredMaps, NeedARotationInvariantKernel) {
  EXPECT_EQ(
      complaint([] { make_map({.kind = MapKind::sorf, .d = 3, .r = 8, .kernel = Laplacian{1.0}}); }),
      "invalid_argument: there is no sorf map of the laplacian kernel, which is not rotation invariant; use fourier "
      "or nystrom");
  EXPECT_NE(complaint([] { make_map({.kind = MapKind::fastfood, .d = 3, .r = 8, .kernel = Laplacian{1.0}}); }),
            "no complaint");
}

TEST(MapKind, NamesGoThereAndBack) {
  for (const MapKind kind : kKinds) EXPECT_EQ(map_named(name(kind)), kind);
  EXPECT_EQ(complaint([] { map_named("fft"); }),
            "invalid_argument: there is no map 'fft'; it may be fourier, sorf, fastfood, nystrom or isolation");
}

}  // namespace
}  // namespace expose

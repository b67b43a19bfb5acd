// The isolation kernel against the slow obvious version: for each partition the nearest landmark, in a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "expose/map/feature_map.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose {
namespace {

// Each four landmarks make a partition; the last takes what is left.
std::vector<std::vector<std::size_t>> partitions_of(std::size_t r) {
  std::vector<std::vector<std::size_t>> partitions((r + 3) / 4);
  for (std::size_t j = 0; j < r; ++j) partitions[j / 4].push_back(j);
  return partitions;
}

// |x - z|^2, fused and in the order of the columns, as floats are.
float squared_distance(std::span<const float> x, std::span<const float> z) {
  float sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum = std::fma(x[k] - z[k], x[k] - z[k], sum);
  return sum;
}

// To the nearest landmark of the partition that differs; 0 if there is none.
float squared_radius(Rows landmarks, const std::vector<std::size_t>& partition, std::size_t j) {
  std::vector<float> distances;
  for (const std::size_t i : partition) distances.push_back(squared_distance(landmarks[i], landmarks[j]));
  std::erase(distances, 0.0F);
  return distances.empty() ? 0.0F : *std::ranges::min_element(distances);
}

std::vector<float> slow_features(const Recipe& recipe, std::span<const float> x) {
  const Rows landmarks(recipe.landmarks, recipe.d);
  std::vector<float> phi(recipe.r, 0.0F);
  for (const std::vector<std::size_t>& partition : partitions_of(recipe.r)) {
    std::size_t nearest = partition[0];
    for (const std::size_t j : partition) {
      if (squared_distance(x, landmarks[j]) < squared_distance(x, landmarks[nearest])) nearest = j;
    }
    if (squared_distance(x, landmarks[nearest]) <= squared_radius(landmarks, partition, nearest)) phi[nearest] = 1.0F;
  }
  return phi;
}

std::vector<float> features(const FeatureMap& map, Rows rows) {
  std::vector<float> phi(rows.n() * map.size());
  map.project(rows, phi);
  return phi;
}

TEST(Isolation, IsTheCellOfTheNearestLandmarkOfEachPartition) {
  for (const std::size_t d : {1U, 3U, 20U}) {
    for (const std::size_t r : {1U, 2U, 3U, 4U, 45U, 64U, 67U, 511U, 512U}) {
      const Recipe recipe = recipe_of(MapKind::isolation, d, r);
      const SharedMap map = make_map(recipe);
      const Table x = normal_table(60, d, 2);
      std::vector<float> slow;
      for (std::size_t i = 0; i < x.n(); ++i) {
        const std::vector<float> phi = slow_features(recipe, x.rows()[i]);
        slow.insert(slow.end(), phi.begin(), phi.end());
      }
      on_every_target([&](const std::string& target) {
        ASSERT_EQ(features(*map, x.rows()), slow) << target << ", d " << d << ", r " << r;
      });
    }
  }
}

// Rows on a grid of whole numbers are often equally far from two landmarks; and landmarks repeat.
TEST(Isolation, TheFirstOfEquallyNearLandmarksWins) {
  Recipe recipe = recipe_of(MapKind::isolation, 2, 330);
  for (float& value : recipe.landmarks) value = std::round(value);
  const SharedMap map = make_map(recipe);
  Table x = normal_table(100, 2, 3);
  for (float& value : x.values) value = std::round(2 * value);
  on_every_target([&](const std::string& target) {
    const std::vector<float> phi = features(*map, x.rows());
    for (std::size_t i = 0; i < x.n(); ++i) {
      const std::vector<float> one(phi.begin() + static_cast<std::ptrdiff_t>(i * 330),
                                   phi.begin() + static_cast<std::ptrdiff_t>((i + 1) * 330));
      ASSERT_EQ(one, slow_features(recipe, x.rows()[i])) << target << ", row " << i;
    }
  });
}

// A landmark lies in its own cell, so k(x, x) = 1 where all landmarks are the row; nothing is beyond all balls.
TEST(Isolation, HasAtMostOneFeatureAPartition) {
  const Recipe recipe = recipe_of(MapKind::isolation, 4, 45);
  const SharedMap map = make_map(recipe);
  const Table x = normal_table(50, 4, 4);
  const std::vector<float> phi = features(*map, x.rows()), own = features(*map, Rows(recipe.landmarks, 4));
  for (const std::vector<std::size_t>& partition : partitions_of(45)) {
    for (std::size_t i = 0; i < x.n(); ++i) {
      float ones = 0;
      for (const std::size_t j : partition) ones += phi[i * 45 + j];
      EXPECT_LE(ones, 1.0F);
    }
    for (const std::size_t j : partition) EXPECT_EQ(own[j * 45 + j], 1.0F);
  }
  const Table far{{1e6F, 1e20F, -1e30F, 3e38F}, 4};
  EXPECT_EQ(features(*map, far.rows()), std::vector<float>(45, 0.0F));
}

// Exact, since 1/128 is. A row is like itself in the partitions where it lies in a cell.
TEST(Isolation, KernelIsTheShareOfCellsInCommon) {
  const Recipe recipe = recipe_of(MapKind::isolation, 3, 512);  // t = 128
  const Table x = normal_table(12, 3, 5);
  const std::vector<double> k = kernel_matrix(*make_map(recipe), x.rows(), x.rows());
  for (std::size_t i = 0; i < x.n(); ++i) {
    EXPECT_LT(k[i * x.n() + i], 1.0);
    EXPECT_GT(k[i * x.n() + i], 0.1);
    for (std::size_t j = 0; j < x.n(); ++j) {
      const std::vector<float> a = slow_features(recipe, x.rows()[i]), b = slow_features(recipe, x.rows()[j]);
      EXPECT_EQ(k[i * x.n() + j], std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / 128);
    }
  }
}

// eta(z) = (1/n) sum_i k(z, x_i)
TEST(Isolation, Theorem1IsTheMeanOfTheKernel) {
  const SharedMap map = make_map(recipe_of(MapKind::isolation, 3, 210));
  const Table x = normal_table(50, 3, 6), z = normal_table(20, 3, 7);
  std::vector<double> eta(z.n());
  map->similarity(z.rows(), map->fold(learned(map, x.rows()).mean()), eta);
  const std::vector<double> k = kernel_matrix(*map, z.rows(), x.rows());
  for (std::size_t i = 0; i < z.n(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < x.n(); ++j) sum += k[i * x.n() + j];
    EXPECT_NEAR(eta[i], sum / 50, 1e-6);
  }
}

// What the kernel is for: two rows as far apart are less alike where rows are dense.
TEST(Isolation, AdaptsToLocalDensity) {
  Recipe recipe = recipe_of(MapKind::isolation, 2, 512);
  for (std::size_t j = 0; j < recipe.r; ++j) {  // half of the landmarks narrow around 0, half wide around 100
    for (std::size_t k = 0; k < 2; ++k) {
      float& value = recipe.landmarks[2 * j + k];
      value = j % 2 == 0 ? 0.1F * value : 100.0F + 10.0F * value;
    }
  }
  const Table x{{0.0F, 0.0F, 0.2F, 0.0F, 100.0F, 100.0F, 100.2F, 100.0F}, 2};
  const std::vector<double> k = kernel_matrix(*make_map(recipe), x.rows(), x.rows());
  EXPECT_LT(k[0 * 4 + 1], 0.5 * k[2 * 4 + 3]);
}

// Voronoi cells would see the shadow of such a row: it is off in a direction in which the landmarks are alike.
TEST(Isolation, SeesHowFarARowIsFromTheLandmarks) {
  Recipe recipe = recipe_of(MapKind::isolation, 2, 512);
  for (std::size_t j = 0; j < recipe.r; ++j) recipe.landmarks[2 * j + 1] = 0.0F;
  const Table x{{0.5F, 0.0F, 0.5F, 100.0F}, 2};
  EXPECT_EQ(kernel_matrix(*make_map(recipe), x.rows(), x.rows())[1], 0.0);
}

// A landmark whose partition has no other value is a cell of its own copies.
TEST(Isolation, EqualLandmarksHoldTheirCopies) {
  const Recipe recipe{
      .kind = MapKind::isolation, .d = 1, .r = 8, .kernel = Gaussian{1.0}, .landmarks = std::vector<float>(8, 2.0F)};
  const Table x{{2.0F, 2.0F, 2.001F}, 1};
  EXPECT_EQ(kernel_matrix(*make_map(recipe), x.rows(), x.rows()), (std::vector<double>{1, 1, 0, 1, 1, 0, 0, 0, 0}));
}

TEST(Isolation, TheKernelAndSeedOfItsRecipeMeanNothing) {
  Recipe recipe = recipe_of(MapKind::isolation, 3, 60);
  recipe.kernel = Laplacian{7.0};
  recipe.seed = 5;
  const SharedMap map = make_map(recipe);
  EXPECT_EQ(map->kernel(), Kernel(Gaussian{1.0}));
  EXPECT_EQ(map->recipe().seed, 0U);
  EXPECT_EQ(map->fingerprint(), make_map(map->recipe())->fingerprint());
}

}  // namespace
}  // namespace expose

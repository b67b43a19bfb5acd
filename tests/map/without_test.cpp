// Similarities with each feature unknown in turn, the work shared, against one expected row after the other.
#include <gtest/gtest.h>

#include <numeric>

#include "expose/map/feature_map.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 7;

UnknownFeatures unknown() {
  return {.mean = {0.1F, -0.2F, 0.0F, 0.4F, 0.0F, 1.0F, -1.0F},
          .variance = {1.0F, 0.5F, 0.0F, 2.0F, 1.0F, 0.1F, 4.0F},
          .group = {0, 1, 2, 1, 4, 3, 4},
          .features = 5};
}

std::vector<double> mean_of(const FeatureMap& map) {
  const Table table = normal_table(200, kD, 5);
  return mean_features(map, table.rows());
}

// The slow obvious way: E phi of the row without each feature, times the dual.
std::vector<double> one_by_one(const FeatureMap& map, std::span<const float> row) {
  const UnknownFeatures without = unknown();
  const std::vector<double> dual = map.dual(mean_of(map));
  std::vector<double> eta;
  for (std::size_t g = 0; g <= without.features; ++g) {
    std::vector<float> x(row.begin(), row.end()), v(kD, 0.0F), features(map.size());
    for (std::size_t k = 0; k < kD; ++k) {
      if (without.group[k] != g) continue;
      x[k] = without.mean[k];
      v[k] = without.variance[k];
    }
    map.project_expected(Rows(x, kD), Rows(v, kD), features);
    eta.push_back(std::inner_product(features.begin(), features.end(), dual.begin(), 0.0));
  }
  return eta;
}

class WithoutOf : public testing::TestWithParam<MapKind> {};
INSTANTIATE_TEST_SUITE_P(Dense, WithoutOf, testing::Values(MapKind::fourier, MapKind::nystrom), kind_name);

TEST_P(WithoutOf, SharedWorkIsTheWorkOneByOne) {
  const SharedMap map = make_map(recipe_of(GetParam(), kD, 75));
  Table rows = normal_table(20, kD, 6);
  rows.values[3] = 5000.0F;  // so far out that a sum with it in has no digits left
  const auto shared = map->similarity_without(map->fold(mean_of(*map)), unknown());
  ASSERT_NE(shared, nullptr);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    std::vector<double> eta(6);
    shared->of(rows.rows()[i], eta);
    const std::vector<double> wanted = one_by_one(*map, rows.rows()[i]);
    for (std::size_t g = 0; g < eta.size(); ++g) EXPECT_NEAR(eta[g], wanted[g], 2e-5) << i << ' ' << g;
  }
}

TEST_P(WithoutOf, EveryTargetGivesTheSameBits) {
  const SharedMap map = make_map(recipe_of(GetParam(), kD, 75));
  const Table row = normal_table(1, kD, 6);
  const auto shared = map->similarity_without(map->fold(mean_of(*map)), unknown());
  std::vector<double> first;
  on_every_target([&](const std::string& target) {
    std::vector<double> eta(6);
    shared->of(row.rows()[0], eta);
    if (first.empty()) first = eta;
    EXPECT_EQ(eta, first) << target;
  });
}

TEST(Without, OthersShareNoWork) {
  for (const MapKind kind : {MapKind::sorf, MapKind::fastfood}) {
    const SharedMap map = make_map(recipe_of(kind, kD, 32));
    EXPECT_EQ(map->similarity_without(map->fold(mean_of(*map)), unknown()), nullptr);
  }
  const SharedMap map = make_map(recipe_of(MapKind::nystrom, kD, 32, 1, Laplacian{2.0}));
  EXPECT_EQ(map->similarity_without(map->fold(mean_of(*map)), unknown()), nullptr);
}

}  // namespace
}  // namespace expose

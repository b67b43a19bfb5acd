// Small tables and one map of each kind: what the tests of means and similarities learn and judge.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/base/rows.hpp"
#include "expose/map/feature_map.hpp"

namespace expose {

// Rows that own their numbers.
struct Table {
  std::vector<float> values;
  std::size_t d = 1;

  Rows rows() const { return Rows(std::span<const float>(values), d); }
  std::size_t n() const { return values.size() / d; }
};

// n rows of d normal numbers around `centre`.
inline Table normal_table(std::size_t n, std::size_t d, std::uint64_t seed, double centre = 0.0) {
  Random random(seed, 0);
  Table table{std::vector<float>(n * d), d};
  for (float& value : table.values) value = static_cast<float>(centre + random.normal());
  return table;
}

// The rows in the order given: a subset, a permutation, repetitions.
inline Table pick(const Table& table, const std::vector<std::size_t>& order) {
  Table picked{{}, table.d};
  for (const std::size_t i : order) {
    picked.values.insert(picked.values.end(), table.rows()[i].begin(), table.rows()[i].end());
  }
  return picked;
}

inline std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

// Landmarks are normal rows, drawn from the seed as the frequencies of the others are.
inline Recipe recipe_of(MapKind kind, std::size_t d, std::size_t r, std::uint64_t seed = 1,
                        Kernel kernel = Gaussian{2.0}) {
  Recipe recipe{.kind = kind, .d = d, .r = r, .kernel = kernel, .seed = seed};
  if (has_landmarks(kind)) {
    recipe.seed = 0;
    recipe.landmarks = normal_table(r, d, seed + 1000).values;
  }
  return recipe;
}

// (1/(n m)) sum_ij k(x_i, z_j), the slow obvious way: what inner products of means estimate.
inline double mean_kernel(const Kernel& kernel, Rows x, Rows z) {
  double sum = 0;
  for (std::size_t i = 0; i < x.n(); ++i) {
    for (std::size_t j = 0; j < z.n(); ++j) sum += evaluate(kernel, x[i], z[j]);
  }
  return sum / static_cast<double>(x.n() * z.n());
}

// A test for every kind of map: GetParam() is the kind.
class EveryMap : public testing::TestWithParam<MapKind> {
 protected:
  static constexpr std::size_t kD = 5;
  static constexpr std::size_t kR = 45;  // no multiple of a block or a vector

  SharedMap map(std::uint64_t seed = 1) const { return make_map(recipe_of(GetParam(), kD, kR, seed)); }
};

inline std::string kind_name(const testing::TestParamInfo<MapKind>& info) { return name(info.param); }

// The mean of the features of some rows, from their exact sums.
inline std::vector<double> mean_features(const FeatureMap& map, Rows rows) {
  std::vector<std::int64_t> sums(map.size(), 0);
  map.accumulate(rows, sums);
  std::vector<double> mean;
  for (const std::int64_t sum : sums) {
    mean.push_back(static_cast<double>(sum) * FeatureMap::kGrid / static_cast<double>(rows.n()));
  }
  return mean;
}

}  // namespace expose

// Those that have a closed form for rows with error bars and missing values.
#define EXPOSE_FOR_EVERY_MAP_THAT_INTEGRATES(Suite) \
  INSTANTIATE_TEST_SUITE_P(                         \
      Kinds, Suite, testing::Values(MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::nystrom), kind_name)
#define EXPOSE_FOR_EVERY_MAP(Suite)                                                                              \
  INSTANTIATE_TEST_SUITE_P(                                                                                      \
      Kinds, Suite,                                                                                              \
      testing::Values(MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::nystrom, MapKind::isolation), \
      kind_name)

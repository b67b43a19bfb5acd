// The bits of every map, pinned: a later change cannot move them unnoticed.
//
// tests/golden/maps.txt has a line a map: its recipe, a hash of the features of some rows, one of their sums, one of
// the expected features of the same rows with error bars, and the bits of a similarity. On a difference the test prints
// the line as it is now. Who changes bits on purpose puts it into the file and says why in the changelog: models saved
// before will judge differently.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "expose/base/hash.hpp"
#include "expose/map/feature_map.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose {
namespace {

template <class T>
std::string digest(const std::vector<T>& values) {
  return hex(hash64(std::as_bytes(std::span(values))));
}

// Of the expected features: every third number has an error bar.
std::string expected_digest(const FeatureMap& map, const Table& x) {
  if (!map.integrates()) return "none";
  std::vector<float> variances(x.values.size(), 0.0F);
  for (std::size_t i = 0; i < variances.size(); i += 3) variances[i] = std::abs(x.values[i]);
  std::vector<float> features(x.n() * map.size());
  map.project_expected(x.rows(), Rows(variances, x.d), features);
  return digest(features);
}

std::string line_of(const Recipe& recipe) {
  const SharedMap map = make_map(recipe);
  const Table x = normal_table(50, recipe.d, 99);
  std::vector<float> features(x.n() * map->size());
  map->project(x.rows(), features);
  std::vector<std::int64_t> sums(map->size(), 0);
  map->accumulate(x.rows(), sums);
  std::vector<double> mean;
  for (const std::int64_t sum : sums) mean.push_back(static_cast<double>(sum) * FeatureMap::kGrid / 50);
  std::vector<double> eta(1);
  map->similarity(x.rows().slice(0, 1), map->fold(mean), eta);
  std::ostringstream line;
  const Kernel& kernel = map->kernel();
  line << name(recipe.kind) << ' ' << name(kernel) << ' ' << bandwidth(kernel) << " d " << recipe.d << " r " << recipe.r
       << " fingerprint " << hex(map->fingerprint()) << " features " << digest(features) << " sums " << digest(sums)
       << " expected " << expected_digest(*map, x) << " similarity " << hex(std::bit_cast<std::uint64_t>(eta[0]));
  return line.str();
}

std::vector<Recipe> recipes() {
  std::vector<Recipe> all;
  for (const MapKind kind : {MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::nystrom}) {
    for (const Kernel& kernel :
         {Kernel(Gaussian{1.5}), Kernel(Laplacian{4.0}), Kernel(Matern32{2.0}), Kernel(Matern52{2.5})}) {
      const bool structured = kind == MapKind::sorf || kind == MapKind::fastfood;
      if (structured && !rotation_invariant(kernel)) continue;
      for (const std::size_t d : {3U, 20U, 150U}) all.push_back(recipe_of(kind, d, 100, 42, kernel));
    }
  }
  for (const std::size_t d : {3U, 20U, 150U}) all.push_back(recipe_of(MapKind::isolation, d, 500, 42));
  return all;
}

TEST(Golden, BitsOfTheMapsStay) {
  std::ifstream file(EXPOSE_TEST_DIR "/golden/maps.txt");
  std::set<std::string> golden;
  for (std::string line; std::getline(file, line);) golden.insert(line);
  on_every_target([&](const std::string& target) {
    for (const Recipe& recipe : recipes()) {
      std::string line = line_of(recipe);
#if !defined(__x86_64__)
      // K^+ is bit-equal within one architecture only (law 1): leave the similarity of Nystrom out elsewhere.
      if (recipe.kind == MapKind::nystrom) {
        const auto known = golden.lower_bound(line.substr(0, line.find(" similarity ")));
        if (known != golden.end() &&
            known->compare(0, line.find(" similarity "), line, 0, line.find(" similarity ")) == 0) {
          line = *known;
        }
      }
#endif
      EXPECT_TRUE(golden.contains(line)) << target << " gives\n" << line;
    }
  });
  EXPECT_EQ(golden.size(), recipes().size());
}

}  // namespace
}  // namespace expose

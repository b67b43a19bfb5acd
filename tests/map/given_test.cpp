// A kernel that only the caller knows: rows are its values with the landmarks.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expose/map/feature_map.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/given.hpp"

namespace expose {
namespace {

TEST(Given, IsNystromOfTheSameKernel) {
  const Table landmarks = normal_table(40, 3, 1), x = normal_table(30, 3, 2);
  const SharedMap map = make_map(given(kernel_rows(landmarks, landmarks)));
  const SharedMap nystrom =
      make_map({.kind = MapKind::nystrom, .d = 3, .r = 40, .kernel = kOnlyWeKnow, .landmarks = landmarks.values});
  const Table rows = kernel_rows(x, landmarks);
  const std::vector<double> K = kernel_matrix(*map, rows.rows(), rows.rows());
  const std::vector<double> expected = kernel_matrix(*nystrom, x.rows(), x.rows());
  for (std::size_t i = 0; i < K.size(); ++i) EXPECT_NEAR(K[i], expected[i], 1e-3) << i;
}

TEST(Given, SumsExactlyWhatItProjects) {
  const Table landmarks = normal_table(8, 3, 1), x = normal_table(100, 3, 2);
  const SharedMap map = make_map(given(kernel_rows(landmarks, landmarks)));
  const Table rows = kernel_rows(x, landmarks);
  std::vector<float> features(100 * 8);
  map->project(rows.rows(), features);
  std::vector<std::int64_t> sums(8, 0), expected(8, 0);
  map->accumulate(rows.rows(), sums);
  for (std::size_t k = 0; k < features.size(); ++k) {
    const double units = static_cast<double>(features[k]) / FeatureMap::kGrid;
    EXPECT_EQ(units, std::nearbyint(units));
    EXPECT_NEAR(features[k], rows.values[k], FeatureMap::kGrid);
    expected[k % 8] += static_cast<std::int64_t>(units);
  }
  EXPECT_EQ(sums, expected);
}

TEST(Given, RefusesWhatNoKernelGives) {
  EXPECT_EQ(complaint([] {
              make_map(given({{1, 0.5F, 0.2F, 1}, 2}));
            }),
            "invalid_argument: a kernel is symmetric, the matrix of the landmarks is not");
  EXPECT_NE(complaint([] { make_map(given({{4, 1, 1, 4}, 2})); }).find("from -1 to 1, there is 4"), std::string::npos);
  EXPECT_NE(complaint([] { make_map(given({{1, 1}, 2})); }).find("as many columns as rows"), std::string::npos);
  const SharedMap map = make_map(given({{1, 0, 0, 1}, 2}));
  const Table large{{0.5F, 1.5F}, 2};
  std::vector<float> features(2);
  EXPECT_NE(complaint([&] { map->project(large.rows(), features); }).find("there is 1.5"), std::string::npos);
}

}  // namespace
}  // namespace expose

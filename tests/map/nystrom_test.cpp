#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expose/map/feature_map.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

// eta of z under the mean of x, and the exact kernel sum it stands for: the largest difference.
double worst_error(const FeatureMap& map, Rows x, Rows z) {
  std::vector<std::int64_t> sums(map.size(), 0);
  map.accumulate(x, sums);
  std::vector<double> mean;
  for (const std::int64_t sum : sums)
    mean.push_back(static_cast<double>(sum) * FeatureMap::kGrid / static_cast<double>(x.n()));
  std::vector<double> eta(z.n());
  map.similarity(z, map.fold(mean), eta);
  double worst = 0;
  for (std::size_t i = 0; i < z.n(); ++i) {
    worst = std::max(worst, std::abs(eta[i] - mean_kernel(map.kernel(), x, z.slice(i, i + 1))));
  }
  return worst;
}

Recipe landmarks(const Table& table, const Kernel& kernel) {
  return {.kind = MapKind::nystrom, .d = table.d, .r = table.n(), .kernel = kernel, .landmarks = table.values};
}

TEST(Nystrom, WithAllRowsAsLandmarksIsTheExactKernelSum) {
  const Table x = normal_table(300, 5, 1), z = normal_table(100, 5, 2);
  for (const Kernel& kernel : {Kernel(Gaussian{1.5}), Kernel(Laplacian{3.0}), Kernel(Matern32{1.5}),
                               Kernel(Matern52{1.5}), Kernel(Gaussian{0.3}), Kernel(Gaussian{6.0})}) {
    const SharedMap map = make_map(landmarks(x, kernel));
    EXPECT_LT(worst_error(*map, x.rows(), x.rows()), 1e-5) << name(kernel) << bandwidth(kernel);
    EXPECT_LT(worst_error(*map, x.rows(), z.rows()), 1e-5) << name(kernel) << bandwidth(kernel);
  }
}

TEST(Nystrom, RepeatedLandmarksDoNoHarm) {
  Table x = normal_table(40, 3, 1);
  x.values.insert(x.values.end(), x.values.begin(), x.values.end());
  const SharedMap map = make_map(landmarks(x, Gaussian{1.0}));
  EXPECT_LT(worst_error(*map, x.rows(), x.rows()), 1e-5);
}

TEST(Nystrom, OneLandmarkIsEnoughForOneRow) {
  const Table x{{3.0F, -1.0F}, 2};
  const SharedMap map = make_map(landmarks(x, Gaussian{1.0}));
  EXPECT_LT(worst_error(*map, x.rows(), x.rows()), 1e-6);
}

// |x|^2 of a cloud far from the origin would leave no digits for distances.
TEST(Nystrom, AFarCloudIsAsGoodAsACentredOne) {
  Table x = normal_table(100, 4, 1);
  for (float& value : x.values) value += 4096.0F;
  for (const Kernel& kernel : {Kernel(Gaussian{1.5}), Kernel(Laplacian{3.0}), Kernel(Matern32{1.5})}) {
    EXPECT_LT(worst_error(*make_map(landmarks(x, kernel)), x.rows(), x.rows()), 1e-5) << name(kernel);
  }
}

// Clusters that are tight beside the space between them: rows close to each other, far from the centre.
TEST(Nystrom, TightClustersFarApartKeepTheirShape) {
  for (const float apart : {30.0F, 1e3F, 1e5F}) {
    Table x = normal_table(60, 3, 1);
    for (std::size_t i = 0; i < 30 * 3; ++i) x.values[i] += apart;
    for (const Kernel& kernel :
         {Kernel(Gaussian{1.5}), Kernel(Laplacian{3.0}), Kernel(Matern32{1.5}), Kernel(Matern52{1.5})}) {
      // Rows have 2^-24 of their size as error, and so have distances.
      const double tolerance = 1e-5 + 1e-7 * static_cast<double>(apart);
      EXPECT_LT(worst_error(*make_map(landmarks(x, kernel)), x.rows(), x.rows()), tolerance) << name(kernel) << apart;
    }
  }
}

// Even further out than a kernel can see: a landmark is still like itself, and like nothing else.
TEST(Nystrom, AnExtremeLandmarkIsLikeItself) {
  const Table x{{0.0F, 1e38F, 3.0F, -3e38F}, 1};
  const SharedMap map = make_map(landmarks(x, Gaussian{1.0}));
  const std::vector<double> matrix = kernel_matrix(*map, x.rows(), x.rows());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(matrix[i * 4 + i], 1.0, 1e-5) << i;
  EXPECT_NEAR(matrix[1], 0.0, 1e-5);
}

// Few landmarks, many rows: what the default rests on. Uniform landmarks, a smooth cloud.
TEST(Nystrom, FewLandmarksComeNear) {
  const Table x = normal_table(2000, 3, 1);
  const Table some{{x.values.begin(), x.values.begin() + 128 * 3}, 3};
  EXPECT_LT(worst_error(*make_map(landmarks(some, Gaussian{1.5})), x.rows(), x.rows().slice(0, 300)), 2e-3);
}

}  // namespace
}  // namespace expose

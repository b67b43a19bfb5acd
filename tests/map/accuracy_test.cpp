// How near the maps come to their kernels: the figures the design rests on, with fixed seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expose/map/feature_map.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr std::size_t kRows = 16;

// Rows at distances around one bandwidth, where the kernel is neither 0 nor 1.
Kernel kernel_for(std::size_t d, const std::string& kind) {
  const double size = static_cast<double>(d);
  return kernel_named(kind, kind == "laplacian" ? 1.5 * size : 1.2 * std::sqrt(size));
}

// Mean of (<phi(x), phi(z)> - k(x, z))^2 over pairs and seeds.
double squared_error(MapKind kind, const Kernel& kernel, std::size_t d, std::size_t r, std::size_t seeds) {
  const Table x = normal_table(kRows, d, 1);
  double sum = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::vector<double> matrix =
        kernel_matrix(*make_map(recipe_of(kind, d, r, seed, kernel)), x.rows(), x.rows());
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        sum += std::pow(matrix[i * kRows + j] - evaluate(kernel, x.rows()[i], x.rows()[j]), 2);
      }
    }
  }
  return sum / static_cast<double>(seeds * kRows * (kRows - 1) / 2);
}

// Var cos <w, delta> = (1 + k(2 delta)) / 2 - k(delta)^2: r times the error of (cos, sin) features. The other form,
// cos(<w, x> + b), has 1/2 more.
double theory(const Kernel& kernel, std::size_t d) {
  const Table x = normal_table(kRows, d, 1);
  double sum = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<float> once(d), twice(d);
      const std::vector<float> origin(d, 0.0F);
      for (std::size_t k = 0; k < d; ++k) {
        once[k] = x.rows()[i][k] - x.rows()[j][k];
        twice[k] = 2 * once[k];
      }
      sum += (1 + evaluate(kernel, twice, origin)) / 2 - std::pow(evaluate(kernel, once, origin), 2);
    }
  }
  return sum / (kRows * (kRows - 1) / 2.0);
}

TEST(Accuracy, ErrorOfRandomMapsFallsAsOneOverR) {
  for (const MapKind kind : {MapKind::fourier, MapKind::sorf, MapKind::fastfood}) {
    for (const char* kernel_name : {"gaussian", "laplacian", "matern32", "matern52"}) {
      const Kernel kernel = kernel_for(16, kernel_name);
      if (kind != MapKind::fourier && !rotation_invariant(kernel)) continue;
      const double at_256 = 256 * squared_error(kind, kernel, 16, 256, 160);
      EXPECT_NEAR(1024 * squared_error(kind, kernel, 16, 1024, 160) / at_256, 1.0, 0.2) << name(kind) << kernel_name;
      EXPECT_NEAR(4096 * squared_error(kind, kernel, 16, 4096, 100) / at_256, 1.0, 0.2) << name(kind) << kernel_name;
    }
  }
}

TEST(Accuracy, ConstantOfCosSinPairsIsTheTheorys) {
  for (const char* kernel_name : {"gaussian", "laplacian", "matern32", "matern52"}) {
    const Kernel kernel = kernel_for(10, kernel_name);
    const double measured = 512 * squared_error(MapKind::fourier, kernel, 10, 512, 160);
    EXPECT_NEAR(measured / theory(kernel, 10), 1.0, 0.15) << kernel_name;
  }
}

TEST(Accuracy, SorfIsAtLeastAsGoodAsDense) {
  const auto ratio = [](std::size_t d, std::size_t r) {
    const Kernel kernel = kernel_for(d, "gaussian");
    return squared_error(MapKind::sorf, kernel, d, r, 40) / squared_error(MapKind::fourier, kernel, d, r, 40);
  };
  for (const std::size_t r : {256U, 1024U, 4096U}) {
    EXPECT_LT(ratio(16, r), 1.1) << "d 16, r " << r;
    EXPECT_LT(ratio(64, r), 0.6) << "d 64, r " << r;
    EXPECT_LT(ratio(127, r), 0.6) << "d 127, r " << r;
  }
  EXPECT_LT(ratio(784, 1024), 0.6);
}

// Structured maps draw from the spectral measure they claim: no bias, at dimensions below, at and above their padding.
TEST(Accuracy, StructuredMapsAreUnbiased) {
  for (const MapKind kind : {MapKind::sorf, MapKind::fastfood}) {
    for (const char* kernel_name : {"gaussian", "matern32", "matern52"}) {
      for (const std::size_t d : {1U, 2U, 3U, 10U, 127U, 784U}) {
        const Kernel kernel = kernel_for(d, kernel_name);
        const Table x = normal_table(2, d, 2);
        double sum = 0;
        constexpr std::size_t kSeeds = 60;
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
          sum += kernel_matrix(*make_map(recipe_of(kind, d, 256, seed, kernel)), x.rows(), x.rows())[1] / kSeeds;
        }
        // iid frequencies would leave at most sqrt(1 / 2 / 256 / 60) = 0.0057.
        EXPECT_NEAR(sum, evaluate(kernel, x.rows()[0], x.rows()[1]), 0.025) << name(kind) << kernel_name << " d " << d;
      }
    }
  }
}

}  // namespace
}  // namespace expose

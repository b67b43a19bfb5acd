#include "expose/simd/products.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose::simd {
namespace {

class ProductsOf : public testing::TestWithParam<std::size_t> {};

// The header's order, number by number.
double in_lanes(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> lanes(16, 0.0);
  for (std::size_t j = 0; j < a.size(); ++j) lanes[j % 16] += a[j] * b[j];
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

TEST_P(ProductsOf, AreThoseOfTheDefinitionOnEveryTargetToTheBit) {
  const std::size_t size = GetParam();
  const Table phi = normal_table(1, size, 1);
  Random random(2, 0);
  constexpr double kUnit = 0x1p-22 / 3;
  std::vector<std::int64_t> sums(size);
  std::vector<double> w(size);
  for (std::size_t j = 0; j < size; ++j) {
    sums[j] = static_cast<std::int64_t>(random.bits()) >> random.below(60);  // small and large, of both signs
    w[j] = static_cast<double>(sums[j]) * kUnit;
  }
  const std::vector<double> features(phi.values.begin(), phi.values.end());
  on_every_target([&](const std::string& target) {
    for (const Products& p :
         {products(phi.values.data(), w.data(), size), products(phi.values.data(), sums.data(), kUnit, size)}) {
      EXPECT_EQ(p.cross, in_lanes(features, w)) << target;
      EXPECT_EQ(p.square, in_lanes(w, w)) << target;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, ProductsOf, testing::Values(1, 15, 16, 33, 256));

}  // namespace
}  // namespace expose::simd

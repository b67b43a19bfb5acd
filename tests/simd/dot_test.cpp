#include "expose/simd/dot.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose::simd {
namespace {

TEST(Dots, AreTheInnerProductsOnEveryTargetWithTheSameBits) {
  const std::size_t size = 160;
  const Table features = normal_table(1, size, 1);
  const Table matrix = normal_table(7, size, 2);
  std::vector<std::vector<double>> results;
  on_every_target([&](const std::string&) {
    results.emplace_back(matrix.n());
    dots(features.values.data(), matrix.values.data(), matrix.n(), size, results.back().data());
  });
  for (std::size_t m = 0; m < matrix.n(); ++m) {
    double expected = 0;
    for (std::size_t j = 0; j < size; ++j) {
      expected += static_cast<double>(features.values[j]) * static_cast<double>(matrix.values[m * size + j]);
    }
    EXPECT_NEAR(results[0][m], expected, 1e-4);
    double alone = 0;  // not in a tile of four
    dots(features.values.data(), &matrix.values[m * size], 1, size, &alone);
    EXPECT_EQ(alone, results[0][m]);
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace expose::simd

#include "expose/simd/features.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose::simd {
namespace {

// Random multiples of 2^-22 in [-1, 1].
std::vector<float> grid_numbers(std::size_t count) {
  Random random(3, 0);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back((static_cast<float>(random.below((1U << 23) + 1)) - 0x1p22F) * 0x1p-22F);
  }
  return values;
}

class ProjectedRows : public testing::TestWithParam<std::size_t> {};

TEST_P(ProjectedRows, InnerProductsAreThoseOfTheDefinitionOnEveryTarget) {
  const std::size_t size = GetParam(), rows = 13;  // a tile of eight, and single ones
  const std::vector<float> features = grid_numbers(rows * size);
  const Table dual = normal_table(1, size, 4);
  std::vector<std::vector<double>> results;
  on_every_target([&](const std::string&) {
    results.emplace_back(rows);
    inner_products(features.data(), rows, size, dual.values.data(), results.back().data());
  });
  for (std::size_t i = 0; i < rows; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < size; ++j) {
      expected += static_cast<double>(features[i * size + j]) * static_cast<double>(dual.values[j]);
    }
    EXPECT_NEAR(results[0][i], expected, 1e-4);
    double alone = 0;
    inner_products(&features[i * size], 1, size, dual.values.data(), &alone);
    EXPECT_EQ(alone, results[0][i]);
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST_P(ProjectedRows, SumsAreExactOnEveryTarget) {
  const std::size_t size = GetParam(), rows = 1111;  // more than int32 sums hold at once
  const std::vector<float> features = grid_numbers(rows * size);
  std::vector<char> keep(rows);
  for (std::size_t i = 0; i < rows; ++i) keep[i] = i % 3 == 0 ? 0 : 1;
  std::vector<std::int64_t> all(size, 7), kept(size, 7);
  for (std::size_t i = 0; i < rows * size; ++i) {
    const auto units = static_cast<std::int64_t>(static_cast<double>(features[i]) * 0x1p22);
    all[i % size] += units;
    if (keep[i / size] != 0) kept[i % size] += units;
  }
  on_every_target([&](const std::string& target) {
    std::vector<std::int64_t> sums(size, 7);
    add_features(features.data(), rows, size, nullptr, sums.data());
    EXPECT_EQ(sums, all) << target;
    sums.assign(size, 7);
    add_features(features.data(), rows, size, keep.data(), sums.data());
    EXPECT_EQ(sums, kept) << target;
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, ProjectedRows, testing::Values(1, 15, 16, 33, 256));

}  // namespace
}  // namespace expose::simd

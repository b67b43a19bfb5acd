#include "expose/detector/row_hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "expose/base/random.hpp"

namespace expose {
namespace {

TEST(HashRow, SeesTheContentAndNotTheType) {
  const std::vector<float> floats = {0.1F, -0.0F, 3.0F, 0.1F, 0.0F, 3.0F};
  const std::vector<double> doubles(floats.begin(), floats.end());
  std::vector<double> row(3);
  const std::uint64_t hash = hash_row(Records(doubles, 3), 0, 7, row);
  EXPECT_EQ(row, (std::vector<double>{static_cast<double>(0.1F), 0.0, 3.0}));
  EXPECT_FALSE(std::signbit(row[1]));
  EXPECT_EQ(hash_row(Records(doubles, 3), 1, 7, row), hash);
  EXPECT_EQ(hash_row(Rows(floats, 3), 0, 7, row), hash);
  EXPECT_EQ(hash_row(Rows(floats, 3), 1, 7, row), hash);
  EXPECT_NE(hash_row(Rows(floats, 3), 0, 8, row), hash);
  const std::vector<double> other = {0.1, 0.0, 3.0};
  EXPECT_NE(hash_row(Records(other, 3), 0, 7, row), hash);
}

// Samples are chosen by this number: no release may change it.
TEST(HashRow, IsPinned) {
  const std::vector<double> values = {1.0, -2.5, 1e300};
  std::vector<double> row(3);
  EXPECT_EQ(hash_row(Records(values, 3), 0, 42, row), 14514997993806719805U);
}

TEST(HashGoodRows, GivesTheHashesOfGoodRowsAndNoneOfBadOnes) {
  constexpr std::size_t kRows = 2000, kColumns = 37;
  std::vector<double> values(kRows * kColumns);
  Random random(1, 0);
  for (double& value : values) value = static_cast<double>(random.below(5)) - 2.0;
  values[0] = -0.0;
  values[700 * kColumns] = std::numeric_limits<double>::infinity();
  values[701 * kColumns - 1] = std::nan("");
  values[kRows * kColumns - 1] = std::nan("");
  const std::vector<float> narrow(values.begin(), values.end());
  const Records rows(values, kColumns);
  Pool pool(2);
  const std::vector<std::uint64_t> hashes = hash_good_rows(rows, 7, Missing::reject, pool).hashes;
  EXPECT_EQ(hash_good_rows(Rows(narrow, kColumns), 7, Missing::reject, pool).hashes, hashes);
  std::vector<double> row(kColumns);
  for (std::size_t i = 0; i < kRows; ++i) {
    const bool good = i != 700 && i != kRows - 1;
    EXPECT_EQ(hashes[i], good ? hash_row(rows, i, 7, row) : kNoHash);
  }
}

TEST(LowestHashes, AreAllThatAreLowEnough) {
  std::vector<std::uint64_t> hashes(10000);
  Random random(2, 0);
  for (std::uint64_t& hash : hashes) hash = random.below(kNoHash);
  const auto even = [](std::size_t i) { return i % 2 == 0; };
  std::vector<std::uint64_t> sorted;
  for (std::size_t i = 0; i < hashes.size(); i += 2) sorted.push_back(hashes[i]);
  std::ranges::sort(sorted);
  std::vector<std::uint64_t> lowest = lowest_hashes(hashes, 1000, even);
  std::ranges::sort(lowest);
  ASSERT_GT(lowest.size(), 500U);
  ASSERT_LT(lowest.size(), 800U);
  EXPECT_TRUE(std::ranges::equal(lowest, std::span(sorted).first(lowest.size())));
  EXPECT_EQ(lowest_hashes(hashes, hashes.size(), even).size(), sorted.size());
}

}  // namespace
}  // namespace expose

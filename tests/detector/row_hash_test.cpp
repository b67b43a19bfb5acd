#include "expose/detector/row_hash.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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

}  // namespace
}  // namespace expose

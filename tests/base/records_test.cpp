#include "expose/base/records.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

TEST(Records, FloatAndDoubleReadTheSame) {
  const std::vector<float> floats = {1.5F, -2.0F, 3.25F, 4.0F, 5.0F, -6.5F};
  const std::vector<double> doubles(floats.begin(), floats.end());
  const Records a = Rows(floats, 2);
  const Records b(doubles, 2);
  ASSERT_EQ(a.n(), 3U);
  ASSERT_EQ(b.n(), 3U);
  EXPECT_FALSE(a.is_double());
  EXPECT_TRUE(b.is_double());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(a.at(i, k), b.at(i, k));
  }
  EXPECT_EQ(a.slice(1, 3).at(0, 1), 4.0);
  EXPECT_EQ(b.slice(1, 3).at(1, 0), 5.0);
  EXPECT_EQ(b.slice(2, 2).n(), 0U);
}

TEST(Records, StrideSkipsWhatIsBetween) {
  const std::vector<double> values = {1, 2, 99, 3, 4, 99};
  const Records records(values.data(), 2, 2, 3);
  EXPECT_EQ(records.at(1, 0), 3.0);
  EXPECT_EQ(records.doubles(1)[1], 4.0);
}

TEST(Records, CanonicalRowsHaveOneZeroAndOneNaN) {
  const std::vector<double> values = {-0.0, std::bit_cast<double>(0xfff8000000000123ULL), 7.0};
  std::vector<double> row(3);
  Records(values, 3).canonical(0, row);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(row[0]), 0U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(row[1]), 0x7ff8000000000000ULL);
  EXPECT_EQ(row[2], 7.0);
}

TEST(Records, AreFiniteUnlessOneNumberIsNot) {
  std::vector<double> doubles(5 * 7, 1e300);
  std::vector<float> floats(5 * 7, -3e38F);
  const Records gapless(doubles, 7), gaps(doubles.data(), 5, 6, 7), narrow(Rows(floats, 7));
  for (const Records& rows : {gapless, gaps, narrow, Records()}) EXPECT_TRUE(rows.all_finite());
  for (std::size_t i = 0; i < doubles.size(); ++i) {
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      const double good = std::exchange(doubles[i], bad);
      const float good_float = std::exchange(floats[i], static_cast<float>(bad));
      EXPECT_FALSE(gapless.all_finite());
      EXPECT_EQ(gaps.all_finite(), i % 7 == 6);
      EXPECT_FALSE(narrow.all_finite());
      doubles[i] = good;
      floats[i] = good_float;
    }
  }
}

TEST(Records, KnowWhetherTheyAreCanonical) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, -1e308, 2.0};
  EXPECT_TRUE(Records(values, 4).all_canonical());
  for (double& value : values) {
    for (const double other : {-0.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
      const double good = std::exchange(value, other);
      EXPECT_FALSE(Records(values, 4).all_canonical()) << other;
      value = good;
    }
  }
}

TEST(Records, RefuseImpossibleShapes) {
  const std::vector<double> values(7);
  EXPECT_EQ(complaint([&] { Records(values, 2); }), "shape_mismatch: 7 numbers do not fill rows of 2 columns");
  EXPECT_EQ(complaint([&] { Records(values.data(), 2, 3, 2); }),
            "shape_mismatch: rows have 3 columns, but start only 2 numbers apart");
  EXPECT_EQ(complaint([&] { Records(values.data(), 3, 0); }), "shape_mismatch: 3 rows have 0 columns");
}

}  // namespace
}  // namespace expose

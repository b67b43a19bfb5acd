#include "expose/base/rows.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Rows, ShowsContiguousValuesRowByRow) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Rows rows(values, 3);
  EXPECT_EQ(rows.n(), 2u);
  EXPECT_EQ(rows.d(), 3u);
  EXPECT_EQ(rows.stride(), 3u);
  EXPECT_FALSE(rows.empty());
  EXPECT_EQ(rows[1][0], 4.0F);
  EXPECT_EQ(rows[1].size(), 3u);
}

TEST(Rows, SkipsWhatLiesBetweenRows) {
  const std::vector<float> values = {1, 2, -1, 3, 4, -1};
  const Rows rows(values.data(), 2, 2, 3);
  EXPECT_EQ(rows[1][0], 3.0F);
  EXPECT_EQ(rows[1][1], 4.0F);
  EXPECT_EQ(rows[1].size(), 2u);
}

TEST(Rows, SlicesKeepShapeAndPlace) {
  const std::vector<float> values = {1, 2, -1, 3, 4, -1, 5, 6, -1};
  const Rows rows(values.data(), 3, 2, 3);
  const Rows part = rows.slice(1, 3);
  EXPECT_EQ(part.n(), 2u);
  EXPECT_EQ(part.d(), 2u);
  EXPECT_EQ(part[0].data(), rows[1].data());
  EXPECT_EQ(part[1].data(), rows[2].data());
  EXPECT_TRUE(rows.slice(3, 3).empty());
}

TEST(Rows, MayBeEmpty) {
  EXPECT_TRUE(Rows().empty());
  EXPECT_TRUE(Rows(nullptr, 0, 0).empty());
  EXPECT_EQ(Rows(nullptr, 0, 5).d(), 5u);
  EXPECT_TRUE(Rows(std::span<const float>(), 0).empty());
  EXPECT_TRUE(Rows(std::span<const float>(), 4).empty());
}

TEST(Rows, DoNotViewTemporaries) {
  static_assert(!std::is_constructible_v<Rows, std::vector<float>&&, std::size_t>);
  static_assert(std::is_constructible_v<Rows, std::vector<float>&, std::size_t>);
}

TEST(Rows, RefuseImpossibleShapes) {
  const std::vector<float> values(10);
  EXPECT_EQ(complaint([&] { Rows(values.data(), 2, 5, 4); }),
            "shape_mismatch: rows have 5 columns, but start only 4 numbers apart");
  EXPECT_EQ(complaint([&] { Rows(values.data(), 7, 0); }), "shape_mismatch: 7 rows have 0 columns");
  EXPECT_EQ(complaint([&] { Rows(values.data(), 7, 0, 1); }), "shape_mismatch: 7 rows have 0 columns");
  EXPECT_EQ(complaint([&] { Rows(nullptr, 2, 3); }),
            "invalid_argument: 2 rows of 3 columns are said to lie at a null pointer");
  EXPECT_EQ(complaint([&] { Rows(values, 3); }), "shape_mismatch: 10 numbers do not fill rows of 3 columns");
  EXPECT_EQ(complaint([&] { Rows(values, 11); }), "shape_mismatch: 10 numbers do not fill rows of 11 columns");
  EXPECT_EQ(complaint([&] { Rows(values, 0); }), "shape_mismatch: 10 numbers do not fill rows of 0 columns");
}

TEST(RequireColumns, NamesBothWidthsAndTheTaker) {
  const std::vector<float> values(14);
  EXPECT_EQ(complaint([&] { require_columns(Rows(values, 7), 8, "map"); }),
            "shape_mismatch: rows have 7 columns, the map takes 8");
  EXPECT_EQ(complaint([&] { require_columns(Rows(values, 7), 7, "map"); }), "no complaint");
}

TEST(RequireFinite, LetsEveryFiniteFloatPass) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> values = {0.0F, -0.0F, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min()};
  EXPECT_EQ(complaint([&] { require_finite(Rows(values, 2)); }), "no complaint");
  EXPECT_EQ(complaint([&] { require_finite(Rows()); }), "no complaint");
}

TEST(RequireFinite, NamesPlaceAndValue) {
  std::vector<float> values(40, 1.0F);
  values[2 * 10 + 6] = kNaN;
  EXPECT_EQ(complaint([&] { require_finite(Rows(values, 10)); }), "not_finite: row 3, column 7 is nan");
  values[2 * 10 + 6] = -kNaN;
  EXPECT_EQ(complaint([&] { require_finite(Rows(values, 10)); }), "not_finite: row 3, column 7 is nan");
  values[2 * 10 + 6] = kInfinity;
  EXPECT_EQ(complaint([&] { require_finite(Rows(values, 10)); }), "not_finite: row 3, column 7 is inf");
  values[2 * 10 + 6] = -kInfinity;
  EXPECT_EQ(complaint([&] { require_finite(Rows(values, 10)); }), "not_finite: row 3, column 7 is -inf");
}

TEST(RequireFinite, FindsTheFirstOfSeveral) {
  std::vector<float> values(40, 1.0F);
  values[12] = values[13] = values[30] = kNaN;
  EXPECT_EQ(complaint([&] { require_finite(Rows(values, 10)); }), "not_finite: row 2, column 3 is nan");
}

// The quick test works on vectors: no place in them, and no rest after them, may go unseen.
TEST(RequireFinite, SeesEveryPlace) {
  for (const std::size_t d : {1U, 2U, 3U, 7U, 8U, 16U, 17U, 33U}) {
    for (std::size_t at = 0; at < 3 * d; ++at) {
      std::vector<float> values(3 * d, 1.0F);
      values[at] = kInfinity;
      EXPECT_EQ(complaint([&] { require_finite(Rows(values, d)); }),
                "not_finite: row " + std::to_string(at / d + 1) + ", column " + std::to_string(at % d + 1) + " is inf");
    }
  }
}

TEST(RequireFinite, LooksOnlyAtTheRowsNotBetweenThem) {
  std::vector<float> values = {1, 2, kNaN, 3, 4, kNaN};
  const Rows rows(values.data(), 2, 2, 3);
  EXPECT_EQ(complaint([&] { require_finite(rows); }), "no complaint");
  values = {1, 2, 0, 3, kNaN, 0};
  EXPECT_EQ(complaint([&] { require_finite(rows); }), "not_finite: row 2, column 2 is nan");
}

}  // namespace
}  // namespace expose

// Missing values and error bars on their way through a scaler.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "expose/scale/scaler.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr Scale kScales[] = {Scale::robust, Scale::zscore, Scale::none};
const double kNone = std::nan("");

Scaler fitted(Scale kind, const std::vector<double>& values, std::size_t d) {
  return Scaler::fit(kind, Records(values, d));
}

// The statistics of a column are those of its values that are there.
TEST(ScalerMissing, IsFittedOnWhatIsThere) {
  const std::vector<double> gaps = {1, 10, kNone, 20, 4, kNone, 2, 40, 7, kNone};
  const std::vector<double> first = {1, 4, 2, 7}, second = {10, 20, 40};
  for (const Scale kind : kScales) {
    const Scaler both = fitted(kind, gaps, 2);
    const Scaler one = fitted(kind, first, 1), two = fitted(kind, second, 1);
    EXPECT_EQ(both.centre()[0], one.centre()[0]);
    EXPECT_EQ(both.spread()[0], one.spread()[0]);
    EXPECT_EQ(both.centre()[1], two.centre()[0]);
    EXPECT_EQ(both.spread()[1], two.spread()[0]);
  }
}

TEST(ScalerMissing, ColumnsWithoutTwoValuesDropOut) {
  const std::vector<double> sample = {1, kNone, kNone, 2, 5, kNone, 3, kNone, kNone, 4, 5, kNone};
  for (const Scale kind : kScales) EXPECT_EQ(fitted(kind, sample, 3).kept(), std::vector<std::uint32_t>{0});
  const std::vector<double> nothing = {kNone, kNone};
  EXPECT_EQ(fitted(Scale::robust, nothing, 2).d(), 2U);  // nothing varies: all stay
}

TEST(ScalerMissing, EveryMissingValueIsTheSameNumber) {
  const Scaler scaler = fitted(Scale::robust, {1, 2, 3, 4, 5, 6}, 2);
  const std::vector<double> rows = {
      -kNone, 2, std::bit_cast<double>(0x7ff0000000000123), 4, std::numeric_limits<double>::signaling_NaN(), kNone};
  std::vector<float> out(6);
  for (const Scale kind : kScales) {
    fitted(kind, {1, 2, 3, 4, 5, 6}, 2).apply(Records(rows, 2), out);
    for (const std::size_t i : {0U, 2U, 4U, 5U}) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(out[i]),
                std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN()));
    }
    EXPECT_TRUE(std::isfinite(out[1]) && std::isfinite(out[3]));
  }
}

// A small error is the difference that it makes.
TEST(ScalerMissing, ErrorBarsFollowTheSlope) {
  const std::vector<double> sample = {-3, 100, 0, 200, 1, 300, 2, 400, 9, 1000};
  for (const Scale kind : kScales) {
    const Scaler scaler = fitted(kind, sample, 2);
    const double e = 1e-3;
    for (const double x : {-20.0, 0.0, 1.0, 7.5}) {
      const std::vector<double> row = {x, 100 * x, x + e, 100 * x + 100 * e}, errors = {e, 100 * e};
      std::vector<float> moved(4), variances(2);
      scaler.apply(Records(row, 2), moved);
      scaler.apply_errors(Records(row.data(), 1, 2), Records(errors, 2), variances);
      for (std::size_t k = 0; k < 2; ++k) {
        const double step = static_cast<double>(moved[2 + k]) - static_cast<double>(moved[k]);
        EXPECT_NEAR(std::sqrt(static_cast<double>(variances[k])), step, 0.02 * step + 1e-6) << name(kind) << x;
      }
    }
  }
}

TEST(ScalerMissing, WhatIsMissingHasNoErrorBar) {
  const Scaler scaler = fitted(Scale::zscore, {1, 2, 3, 4}, 1);
  const std::vector<double> row = {kNone, 2.0}, errors = {-1.0, 0.0};
  std::vector<float> variances(2, 7.0F);
  scaler.apply_errors(Records(row, 1), Records(errors, 1), variances);
  EXPECT_EQ(variances, (std::vector<float>{0.0F, 0.0F}));
}

TEST(ScalerMissing, RefusesBadErrorBars) {
  const Scaler scaler = fitted(Scale::zscore, {1, 2, 3, 4}, 1);
  const std::vector<double> rows = {1, 2};
  std::vector<float> variances(2);
  const auto refused = [&](const std::vector<double>& errors) {
    return complaint([&] { scaler.apply_errors(Records(rows, 1), Records(errors, 1), variances); });
  };
  EXPECT_EQ(refused({1}), "shape_mismatch: there are 2 x 1 numbers and 1 x 1 errors");
  EXPECT_EQ(refused({1, -2}), "invalid_argument: an error is a number from 0 on, that of row 2, column 1 is -2");
  EXPECT_EQ(refused({kNone, 1}), "invalid_argument: an error is a number from 0 on, that of row 1, column 1 is nan");
}

}  // namespace
}  // namespace expose

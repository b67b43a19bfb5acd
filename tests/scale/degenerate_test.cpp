// Tables that break careless scalers: constant, nearly constant, huge, tiny, one row, half their mass on one value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "expose/scale/scaler.hpp"
#include "expose/simd/asinh.hpp"

namespace expose {
namespace {

constexpr Scale kScales[] = {Scale::robust, Scale::zscore, Scale::none};
constexpr double kHuge = std::numeric_limits<double>::max();
constexpr float kLargest = std::numeric_limits<float>::max();

std::vector<float> applied(const Scaler& scaler, const std::vector<double>& values) {
  const Records rows(values, scaler.inputs());
  std::vector<float> out(rows.n() * scaler.d());
  scaler.apply(rows, out);
  return out;
}

Scaler fitted(Scale kind, const std::vector<double>& values, std::size_t d = 1) {
  return Scaler::fit(kind, Records(values, d));
}

void expect_sound(const Scaler& scaler) {
  EXPECT_NO_THROW(Scaler::from_state(scaler.state()));
  ASSERT_GE(scaler.d(), 1U);
}

// One row, two equal rows, many, in one column or 2000: all columns stay, and a row that differs in any one is unlike.
TEST(Degenerate, AConstantTableSeesWhateverDiffers) {
  for (const std::size_t d : {1U, 2U, 3U, 2000U}) {
    for (const std::size_t n : {1U, 2U, 50U}) {
      std::vector<double> row(d), sample;
      for (std::size_t k = 0; k < d; ++k) row[k] = std::vector<double>{20.0, 0.0, -1e-9, 4e12}[k % 4];
      for (std::size_t i = 0; i < n; ++i) sample.insert(sample.end(), row.begin(), row.end());
      for (const Scale kind : {Scale::robust, Scale::zscore}) {
        const Scaler scaler = fitted(kind, sample, d);
        expect_sound(scaler);
        ASSERT_EQ(scaler.d(), d);
        EXPECT_EQ(applied(scaler, row), std::vector<float>(d, 0.0F));
        std::vector<double> other = row;
        other[d - 1] = row[d - 1] == 0 ? 1.0 : 1.05 * row[d - 1];  // 5 % away
        const float away = std::abs(applied(scaler, other)[d - 1]);
        EXPECT_GT(away, 4.0F);
        EXPECT_LE(away, 1024.0F);  // and not absurdly so
      }
    }
  }
}

TEST(Degenerate, AConstantTableUnscaledKeepsItsUnits) {
  const Scaler scaler = fitted(Scale::none, {5, -3, 5, -3}, 2);
  EXPECT_EQ(applied(scaler, {6, -5}), (std::vector<float>{1.0F, -2.0F}));
}

TEST(Degenerate, ConstantColumnsDropOutBesideOthers) {
  for (const Scale kind : kScales) {
    const Scaler scaler = fitted(kind, {7, 1, 0, 7, 2, 0, 7, 3, 0}, 3);
    EXPECT_EQ(scaler.kept(), std::vector<std::uint32_t>{1});
    EXPECT_EQ(applied(scaler, {1e30, 2, -1e30}), std::vector<float>{0.0F}) << name(kind);
  }
}

TEST(Degenerate, HalfTheMassOnOneValueFallsBackToTheDeviation) {
  const std::vector<double> indicator = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0};  // MAD 0, sd 0.3
  const Scaler scaler = fitted(Scale::robust, indicator);
  EXPECT_EQ(scaler.centre()[0], 0.0);
  EXPECT_NEAR(scaler.spread()[0], 0.3 / 4, 1e-16);
  EXPECT_NEAR(applied(scaler, {1})[0], std::asinh(4 / 0.3), 1e-6);
}

// What holds for a column holds for 2^k times that column, to the bit, as long as nothing leaves the normal doubles.
TEST(Degenerate, SizeDoesNotMatter) {
  const std::vector<double> column = {3.25, -1.5, 0.7, 12.0, 2.0, 2.5, -4.125};
  for (const Scale kind : {Scale::robust, Scale::zscore}) {
    const Scaler scaler = fitted(kind, column);
    for (const int exponent : {-1010, -300, -100, 100, 300, 1020}) {
      std::vector<double> scaled;
      for (const double x : column) scaled.push_back(std::ldexp(x, exponent));
      const Scaler other = fitted(kind, scaled);
      EXPECT_EQ(other.spread()[0], std::ldexp(scaler.spread()[0], exponent)) << exponent;
      EXPECT_EQ(applied(other, scaled), applied(scaler, column)) << exponent;
    }
  }
}

TEST(Degenerate, ColumnsOfAllSizesSideBySide) {
  std::vector<double> sample;
  for (int i = 0; i < 100; ++i) {
    for (const double unit : {1e300, 1e-30, 1e30, 1e-300}) sample.push_back(unit * std::sin(i));
  }
  for (const Scale kind : {Scale::robust, Scale::zscore}) {
    const Scaler scaler = fitted(kind, sample, 4);
    const std::vector<float> out = applied(scaler, sample);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], out[i - i % 4], 1e-6F);
    EXPECT_GT(*std::max_element(out.begin(), out.end()), 0.5F);
  }
}

TEST(Degenerate, AHugeValueBesideSmallOnes) {
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> sample(50, sign * 2);
    sample.resize(99, sign);
    sample.push_back(sign * 1e300);
    for (const Scale kind : kScales) {
      const Scaler scaler = fitted(kind, sample);
      expect_sound(scaler);
      const std::vector<float> out = applied(scaler, sample);
      for (std::size_t i = 0; i < 99; ++i) EXPECT_LE(std::abs(out[i]), 1.0F) << name(kind);
      EXPECT_GT(sign * static_cast<double>(out[99]), 4.0) << name(kind);
    }
  }
}

// Its deviations are no doubles: they are held, and nothing is NaN or infinite.
TEST(Degenerate, AColumnAsWideAsTheDoubles) {
  for (const auto& sample : {std::vector<double>{-kHuge, kHuge}, std::vector<double>{-kHuge, -kHuge, kHuge},
                             std::vector<double>{-kHuge, -kHuge, 0, kHuge, kHuge}}) {
    for (const Scale kind : kScales) {
      const Scaler scaler = fitted(kind, sample);
      expect_sound(scaler);
      const std::vector<float> out = applied(scaler, sample);
      for (const float value : out) EXPECT_LE(std::abs(value), kLargest);
      EXPECT_LT(out.front(), out.back());
    }
  }
}

TEST(Degenerate, SubnormalColumnsHaveNormalSpreads) {
  for (const Scale kind : kScales) {
    const Scaler scaler = fitted(kind, {0, 5e-324, 1e-310, 0});
    expect_sound(scaler);
    EXPECT_GE(scaler.spread()[0], std::numeric_limits<double>::min());
    EXPECT_LT(std::abs(applied(scaler, {1e-310})[0]), 1.0F);
    expect_sound(fitted(kind, {5e-324}));
  }
}

TEST(Degenerate, BeyondTheFloatsIsHeld) {
  const std::vector<double> sample = {1, 2, 3};
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Scale kind : {Scale::zscore, Scale::none}) {
    const Scaler scaler = fitted(kind, sample);
    EXPECT_EQ(applied(scaler, {1e300, -1e300, infinity, -kHuge}),
              (std::vector<float>{kLargest, -kLargest, kLargest, -kLargest}));
  }
  float most = kLargest;
  simd::asinh_in_place(&most, 1);
  const std::vector<float> robust = applied(fitted(Scale::robust, sample), {1e300, -1e300, std::nan("")});
  EXPECT_EQ(robust[0], most);
  EXPECT_EQ(robust[1], -most);
  EXPECT_TRUE(std::isnan(robust[2]));
}

// Twenty values that differ from this one by up to four units in its last place.
std::vector<double> noise_around(double value) {
  std::vector<double> sample;
  for (int i = 0; i < 20; ++i) {
    sample.push_back(i % 5 == 0 ? value : std::nextafter(sample.back(), kHuge));
  }
  return sample;
}

// They stay near 0, and a real change is still seen.
TEST(Degenerate, RoundingNoiseIsNoSignal) {
  for (const double value : {0.1 + 0.2, -0.3, 1e9, 1e300, 1e-300}) {
    for (const Scale kind : {Scale::robust, Scale::zscore}) {
      const Scaler scaler = fitted(kind, noise_around(value));
      expect_sound(scaler);
      for (const float out : applied(scaler, noise_around(value))) EXPECT_LT(std::abs(out), 0.02F) << value;
      EXPECT_GT(std::abs(applied(scaler, {1.001 * value})[0]), 10.0F) << value;
    }
  }
}

// Around 0 doubles resolve the same differences: there they are a signal.
TEST(Degenerate, SmallNumbersAreASignal) {
  std::vector<double> sample = noise_around(0.3);
  for (double& x : sample) x -= 0.3;
  for (const Scale kind : {Scale::robust, Scale::zscore}) {
    const std::vector<float> out = applied(fitted(kind, sample), sample);
    EXPECT_GT(*std::max_element(out.begin(), out.end()), 0.5F);
  }
}

// An offset that double can carry costs nothing: 1e9 + normal numbers is a column like any other.
TEST(Degenerate, ALargeOffsetCostsNoDigits) {
  std::vector<double> column, lifted;
  for (int i = 0; i < 200; ++i) {
    column.push_back(std::round(std::sin(i) * 1024) / 1024);  // exact in double at 1e9 too
    lifted.push_back(column.back() + 1e9);
  }
  EXPECT_EQ(applied(fitted(Scale::robust, lifted), lifted), applied(fitted(Scale::robust, column), column));
  EXPECT_EQ(applied(fitted(Scale::none, lifted), lifted), applied(fitted(Scale::none, column), column));
}

}  // namespace
}  // namespace expose

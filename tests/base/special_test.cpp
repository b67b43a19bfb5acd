// Special functions against known values: tables, the C library where it has them, and closed forms.
#include "expose/base/special.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace expose::portable {
namespace {

TEST(Special, LogGammaIsThatOfTheLibrary) {
  for (double x = 0.01; x < 1e7; x *= 1.07) {
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 1e-14 * (1 + std::abs(std::lgamma(x)) + x)) << x;
  }
  EXPECT_NEAR(log_gamma(0.5), 0.57236494292470008707, 4e-15);  // log sqrt(pi)
  EXPECT_TRUE(std::isnan(log_gamma(0)));
}

TEST(Special, NormalTailIsThatOfTheLibrary) {
  for (double z = -8; z < 35; z += 0.01) {
    const double truth = 0.5 * std::erfc(z / std::sqrt(2.0));
    EXPECT_NEAR(normal_tail(z), truth, 1e-11 * truth) << z;
  }
  EXPECT_NEAR(normal_tail(1.959963984540054), 0.025, 1e-15);
  EXPECT_EQ(normal_tail(0), 0.5);
}

// For whole a: Q(a, x) = e^-x sum_{k < a} x^k / k!
TEST(Special, GammaTailOfWholeShapesIsPoisson) {
  for (const int a : {1, 2, 5, 40, 150}) {
    for (double x = 0.1; x < 4.0 * a; x *= 1.3) {
      double sum = 0;
      for (int k = 0; k < a; ++k) sum += std::exp(k * std::log(x) - x - std::lgamma(k + 1.0));
      EXPECT_NEAR(gamma_tail(a, x), sum, 1e-11 * sum + 1e-14) << a << ", " << x;
    }
  }
  EXPECT_EQ(gamma_tail(3, 0), 1.0);
  EXPECT_EQ(gamma_tail(3, INFINITY), 0.0);
  EXPECT_TRUE(std::isnan(gamma_tail(0, 1)));
}

// The 95 % quantiles of chi-square with 1, 3, 10 and 1000 degrees of freedom, from tables.
TEST(Special, ChiSquareQuantiles) {
  EXPECT_NEAR(gamma_tail(0.5, 3.841458820694124 / 2), 0.05, 1e-14);
  EXPECT_NEAR(gamma_tail(1.5, 7.814727903251179 / 2), 0.05, 1e-14);
  EXPECT_NEAR(gamma_tail(5, 18.307038053275146 / 2), 0.05, 1e-14);
  EXPECT_NEAR(gamma_tail(500, 1074.6794494 / 2), 0.05, 1e-8);
}

// Chi-square with 4 degrees of freedom has mean 4, variance 8, third moment 32.
TEST(Special, PearsonTailOfASumOfSquaresIsExact) {
  for (double x = 0; x < 60; x += 0.7) EXPECT_NEAR(pearson_tail(4, 8, 32, x), gamma_tail(2, x / 2), 1e-13) << x;
  for (double x = 0; x < 60; x += 0.7) EXPECT_NEAR(pearson_tail(-4, 8, -32, -x), 1 - gamma_tail(2, x / 2), 1e-13) << x;
}

TEST(Special, PearsonTailWithoutSkewnessIsNormal) {
  EXPECT_EQ(pearson_tail(1, 4, 0, 5), normal_tail(2));
  EXPECT_NEAR(pearson_tail(1, 4, 8 * 1.01e-4, 5), normal_tail(2), 1e-5);
  EXPECT_EQ(pearson_tail(1, 0, 0, 1), 1.0);
  EXPECT_EQ(pearson_tail(1, 0, 0, 1.5), 0.0);
}

}  // namespace
}  // namespace expose::portable

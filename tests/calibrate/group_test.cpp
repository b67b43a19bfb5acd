// p-values of groups: against every choice, against drawn ones, and whether they are uniform for normal groups.
#include "expose/calibrate/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expose/base/random.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

// Similarities as they are: skewed, above 0.
std::vector<double> draw(std::size_t n, std::uint64_t seed, double factor = 1.0) {
  Random random(seed, 0);
  std::vector<double> eta(n);
  for (double& one : eta) one = factor / (1 + random.chi(3.0));
  return eta;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The share of drawn choices of m among all whose mean is as low.
double drawn_p(std::vector<double> all, std::size_t m, int times) {
  const double seen = mean(std::span(all).first(m));
  Random random(11, 0);
  int as_low = 0;
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < m; ++i) std::swap(all[i], all[i + random.below(all.size() - i)]);
    as_low += mean(std::span(all).first(m)) <= seen ? 1 : 0;
  }
  return static_cast<double>(as_low) / times;
}

TEST(Group, IsTheShareOfChoicesAsLow) {
  const std::vector<double> calibration = draw(300, 1);
  for (const std::size_t m : {2, 3, 10, 100, 1000}) {
    for (const double factor : {1.05, 1.0, 0.95, 0.9}) {
      const std::vector<double> group = draw(m, m, factor);
      std::vector<double> all = group;
      all.insert(all.end(), calibration.begin(), calibration.end());
      const double truth = drawn_p(all, m, 4000);
      EXPECT_NEAR(GroupCalibration(calibration).p_value(group), truth, 0.02 + 0.02 * truth) << m << ", " << factor;
    }
  }
}

// Far out, where no drawing gets: every choice of 3 of 3 + 37.
TEST(Group, IsRightFarOut) {
  const std::vector<double> calibration = draw(37, 4);
  for (const double level : {0.28, 0.24, 0.21}) {
    const std::vector<double> group(3, level);
    std::vector<double> all = group;
    all.insert(all.end(), calibration.begin(), calibration.end());
    double as_low = 0, choices = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t k = 0; k < j; ++k, ++choices) as_low += all[i] + all[j] + all[k] <= 3 * level + 1e-12 ? 1 : 0;
      }
    }
    const double p = GroupCalibration(calibration).p_value(group);
    EXPECT_NEAR(std::log(p), std::log(as_low / choices), 0.5) << level << ": " << p << ", " << as_low / choices;
  }
}

// Each time a group and a calibration sample of its own. Kolmogorov-Smirnov: 1.63 / sqrt(n) is exceeded 1 % of the
// time.
TEST(Group, NormalGroupsHaveUniformPValues) {
  for (const std::size_t m : {1, 2, 10, 400}) {
    std::vector<double> p;
    for (std::uint64_t time = 0; time < 300; ++time) {
      p.push_back(GroupCalibration(draw(200, 2 * time + 1000)).p_value(draw(m, 2 * time + 1001)));
    }
    std::sort(p.begin(), p.end());
    double distance = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      distance = std::max({distance, std::abs(p[i] - static_cast<double>(i) / 300.0),
                           std::abs(p[i] - static_cast<double>(i + 1) / 300.0)});
    }
    EXPECT_LT(distance, 1.63 / std::sqrt(300.0)) << m;
  }
}

TEST(Group, OneRowHasItsRank) {
  const GroupCalibration calibration(std::vector<double>{0.1, 0.2, 0.3, 0.4});
  EXPECT_EQ(calibration.p_value(std::vector<double>{0.05}), 1.0 / 5);
  EXPECT_EQ(calibration.p_value(std::vector<double>{0.2}), 3.0 / 5);
  EXPECT_EQ(calibration.p_value(std::vector<double>{0.5}), 1.0);
}

TEST(Group, PValuesGetSmallWithTheGroup) {
  const GroupCalibration calibration(draw(2000, 1));
  double last = 1;
  for (const std::size_t m : {10, 100, 1000}) {
    const double p = calibration.p_value(draw(m, 2, 0.8));
    EXPECT_LT(p, last) << m;
    last = p;
  }
  EXPECT_LT(last, 1e-30);
  EXPECT_GT(last, 0.0);
}

TEST(Group, TheMostUnlikeRowsAreTheRarestChoice) {
  const GroupCalibration calibration(draw(97, 1));
  const double choices = 100.0 * 99 * 98 / 6;
  EXPECT_NEAR(calibration.p_value(std::vector<double>{1e-3, 1e-4, 1e-5}) * choices, 1.0, 1.0);
  EXPECT_NEAR(calibration.p_value(std::vector<double>{1e-9, 1e-9, 1e-9}) * choices, 1.0, 1.0);
  EXPECT_NEAR(calibration.p_value(std::vector<double>{0.9, 0.95, 0.99}), 1.0, 1e-4);  // the most alike
}

TEST(Group, OrderDecidesNoBit) {
  std::vector<double> calibration = draw(100, 1), group = draw(20, 2, 0.9);
  const double p = GroupCalibration(calibration).p_value(group);
  std::reverse(calibration.begin(), calibration.end());
  std::reverse(group.begin(), group.end());
  EXPECT_EQ(GroupCalibration(calibration).p_value(group), p);
}

TEST(Group, NothingToTellApart) {
  const GroupCalibration alike(std::vector<double>(50, 0.25));
  EXPECT_EQ(alike.p_value(std::vector<double>(7, 0.25)), 1.0);
  EXPECT_EQ(alike.p_value({}), 1.0);
  EXPECT_EQ(GroupCalibration({}).p_value(std::vector<double>(7, 0.25)), 1.0);
}

TEST(Group, BadSimilaritiesAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint([&] {
              GroupCalibration(std::vector<double>{0.5, nan});
            }),
            "not_finite: the similarity of calibration row 2 is nan, it must be finite");
  EXPECT_EQ(complaint([&] { GroupCalibration(draw(5, 1)).p_value(std::vector<double>{nan}); }),
            "not_finite: the similarity of group row 1 is nan, it must be finite");
}

}  // namespace
}  // namespace expose

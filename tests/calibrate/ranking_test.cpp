// The area under the ROC curve, against counting pairs, and the error of a gain, against resampling.
#include "expose/calibrate/ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "expose/base/random.hpp"

namespace expose {
namespace {

// Numbers on a coarse grid, so that there are ties.
std::vector<double> draw(std::size_t n, double centre, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<double> values(n);
  for (double& value : values) value = std::round(4 * (centre + random.normal())) / 4;
  return values;
}

double counted(const std::vector<double>& anomalies, const std::vector<double>& normals) {
  double pairs = 0;
  for (const double a : anomalies) {
    for (const double b : normals) pairs += a < b ? 1.0 : a == b ? 0.5 : 0.0;
  }
  return pairs / static_cast<double>(anomalies.size() * normals.size());
}

TEST(Ranking, IsTheShareOfPairsInOrder) {
  const std::vector<double> anomalies = draw(40, 0, 1), normals = draw(90, 1, 2);
  EXPECT_EQ(auc(anomalies, normals), counted(anomalies, normals));
  EXPECT_EQ(auc(std::vector{1.0}, std::vector{2.0, 3.0}), 1.0);
  EXPECT_EQ(auc(std::vector{2.0}, std::vector{2.0}), 0.5);
  EXPECT_EQ(auc(std::vector{4.0}, std::vector{2.0, 3.0}), 0.0);
}

// At each threshold that is a similarity: how many are called anomalies, how many of those are.
double counted_precision(const std::vector<double>& anomalies, const std::vector<double>& normals) {
  std::vector<double> thresholds = anomalies;
  thresholds.insert(thresholds.end(), normals.begin(), normals.end());
  std::ranges::sort(thresholds);
  double sum = 0, recall = 0;
  for (std::size_t t = 0; t < thresholds.size(); ++t) {
    if (t > 0 && thresholds[t] == thresholds[t - 1]) continue;
    const auto called = [&](double eta) { return eta <= thresholds[t]; };
    const auto right = static_cast<double>(std::ranges::count_if(anomalies, called));
    const auto wrong = static_cast<double>(std::ranges::count_if(normals, called));
    const double recall_here = right / static_cast<double>(anomalies.size());
    sum += (recall_here - recall) * (right / (right + wrong));
    recall = recall_here;
  }
  return sum;
}

TEST(Ranking, AveragePrecisionIsThatOfAllThresholds) {
  for (const double apart : {0.0, 1.0, 3.0}) {
    const std::vector<double> anomalies = draw(40, 0, 1), normals = draw(90, apart, 2);
    EXPECT_NEAR(average_precision(anomalies, normals), counted_precision(anomalies, normals), 1e-12) << apart;
  }
}

TEST(Ranking, AveragePrecisionOfSmallCases) {
  EXPECT_EQ(average_precision(std::vector{1.0, 2.0}, std::vector{3.0}), 1.0);
  EXPECT_EQ(average_precision(std::vector{3.0}, std::vector{1.0, 2.0}), 1.0 / 3);
  EXPECT_EQ(average_precision(std::vector{2.0, 2.0}, std::vector{2.0, 2.0}), 0.5);  // ties: the share of anomalies
  EXPECT_EQ(average_precision(std::vector{1.0, 3.0}, std::vector{2.0}), (1.0 + 2.0 / 3) / 2);
  // sklearn.metrics.average_precision_score([0, 0, 1, 1], [.1, .4, .35, .8]) = 0.8333...
  EXPECT_NEAR(average_precision(std::vector{-0.35, -0.8}, std::vector{-0.1, -0.4}), 0.8333333333333333, 1e-15);
}

TEST(Ranking, BalancedAccuracyCountsBothClassesAlike) {
  EXPECT_EQ(balanced_accuracy({.flagged_anomalies = 3, .passed_normals = 1000}), 1.0);
  EXPECT_EQ(balanced_accuracy({.missed_anomalies = 3, .passed_normals = 1000}), 0.5);
  EXPECT_EQ(balanced_accuracy({.missed_anomalies = 3, .flagged_normals = 5}), 0.0);
  EXPECT_EQ(balanced_accuracy({3, 1, 10, 30}), 0.75);
}

TEST(Ranking, DoesNotSeeTheOrderOfRows) {
  std::vector<double> anomalies = draw(40, 0, 1), normals = draw(90, 1, 2);
  const double before = auc(anomalies, normals), precision = average_precision(anomalies, normals);
  std::ranges::reverse(anomalies);
  std::ranges::sort(normals);
  EXPECT_EQ(auc(anomalies, normals), before);
  EXPECT_EQ(average_precision(anomalies, normals), precision);
}

TEST(Ranking, PlacementsAreSharesWhoseMeanIsTheAuc) {
  const std::vector<double> anomalies = {1, 2}, normals = {2, 3, 0, 5};
  const Placements placed = placements(anomalies, normals);
  EXPECT_EQ(placed.anomalies, (std::vector{0.75, 0.625}));
  EXPECT_EQ(placed.normals, (std::vector{0.75, 1.0, 0.0, 1.0}));
  EXPECT_EQ(auc(anomalies, normals), (0.75 + 0.625) / 2);
}

// Two noisy views of the same rows: over many draws the gain scatters as much as the error says.
TEST(Ranking, TheErrorOfAGainIsItsSpread) {
  constexpr std::size_t kDraws = 400;
  double sum = 0, squares = 0, named = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    Random random(seed, 5);
    std::vector<double> a[2], b[2];
    for (std::size_t i = 0; i < 60; ++i) {
      const double row = random.normal() + (i < 20 ? 0.0 : 1.0);
      a[i < 20 ? 0 : 1].push_back(row + 0.7 * random.normal());
      b[i < 20 ? 0 : 1].push_back(row + 0.7 * random.normal());
    }
    const Gain found = gain(placements(a[0], a[1]), placements(b[0], b[1]));
    EXPECT_NEAR(found.auc, auc(a[0], a[1]) - auc(b[0], b[1]), 1e-12);
    sum += found.auc;
    squares += found.auc * found.auc;
    named += found.error;
  }
  const double spread = std::sqrt(squares / kDraws - sum * sum / kDraws / kDraws);
  EXPECT_NEAR(named / kDraws, spread, 0.1 * spread);
}

TEST(Ranking, NothingIsGainedOverItself) {
  const Placements placed = placements(draw(7, 0, 1), draw(9, 1, 2));
  const Gain none = gain(placed, placed);
  EXPECT_EQ(none.auc, 0.0);
  EXPECT_EQ(none.error, 0.0);
}

}  // namespace
}  // namespace expose

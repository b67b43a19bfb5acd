#include "expose/calibrate/conformal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/calibrate/samples.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// (1 + sum of M w / W over s_cal >= s) / (M + 1); beyond the largest s_cal times T(s - u) / T(s_max - u).
double slow_p_value(const std::vector<double>& similarities, const std::vector<double>& weights, double similarity) {
  const auto m = static_cast<double>(similarities.size());
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto floored_surprise = [](double eta) { return -std::log(std::max(eta, 1e-8)); };
  const double s = floored_surprise(similarity);
  double sum = 0.0;
  double s_max = -100.0;
  std::vector<double> counts(SurpriseCounts::kBins);
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    const double s_i = floored_surprise(similarities[i]);
    if (s_i >= s) sum += m * weights[i] / all;
    s_max = std::max(s_max, s_i);
    counts[SurpriseCounts::bin_of(s_i)] += m * weights[i] / all;
  }
  const double p = (1.0 + sum) / (m + 1.0);
  if (s <= s_max) return p;
  const Tail t(counts);
  const auto log_survival = [&](double x) { return -t.m() * std::log1p(std::max(x, 0.0) / (t.m() * t.theta())); };
  return p * std::exp(log_survival(s - t.u()) - log_survival(s_max - t.u()));
}

TEST(Conformal, IsTheRankAmongTheCalibrationRows) {
  const std::vector<double> rows = {0.9, 0.2, 0.5, 0.5};
  const Conformal conformal(rows);
  EXPECT_EQ(conformal.p_value(0.95), 1.0);
  EXPECT_EQ(conformal.p_value(0.9), 1.0);  // ties count
  EXPECT_EQ(conformal.p_value(0.89), 0.8);
  EXPECT_EQ(conformal.p_value(0.5), 0.8);
  EXPECT_EQ(conformal.p_value(0.49), 0.4);
  EXPECT_EQ(conformal.p_value(0.2), 0.4);
  EXPECT_LT(conformal.p_value(0.19), 0.2);
  EXPECT_GT(conformal.p_value(0.1999999), 0.19999);  // the tail goes on from 1 / (M + 1)
}

TEST(Conformal, IsTheSlowOne) {
  Random random(41, 0);
  for (const std::size_t m : {1U, 2U, 7U, 200U, 2000U}) {
    const auto rows = rows_with_outliers(m, m / 50, 42 + m);
    std::vector<double> weights(m, 1.0);
    for (const bool weighted : {false, true}) {
      for (double& weight : weights) weight = weighted ? 0.1 + random.uniform() : 1.0;
      const Conformal conformal(rows, weights);
      for (double s = -0.5; s < 20.0; s += 0.0101) {
        const double p = conformal.p_value(std::exp(-s));
        ASSERT_NEAR(p / slow_p_value(rows, weights, std::exp(-s)), 1.0, 1e-11) << m << " " << s;
      }
    }
  }
}

TEST(Conformal, CountsEqualWeightsAsRows) {
  const auto rows = exponential_rows(777, 43);
  const Conformal plain(rows);
  for (const double weight : {1.0, 3.0, 0.1, 1e300, 1e-300}) {
    const Conformal weighted(rows, std::vector<double>(rows.size(), weight));
    for (double s = 0.0; s < 8.0; s += 0.003) {
      const double eta = std::exp(-s);
      ASSERT_EQ(weighted.p_value(eta), plain.p_value(eta)) << weight << " " << s;
    }
  }
}

TEST(Conformal, LetsARowStandForSeveral) {
  const Conformal conformal(std::vector<double>{0.1, 0.5, 0.9}, std::vector<double>{1.0, 4.0, 1.0});
  // All weights together count 3 rows: 1/2, 2 and 1/2.
  EXPECT_EQ(conformal.p_value(0.1), 1.5 / 4.0);
  EXPECT_EQ(conformal.p_value(0.5), 3.5 / 4.0);
  EXPECT_EQ(conformal.p_value(0.9), 1.0);
}

TEST(Conformal, IsTheSameForAnyOrder) {
  Random random(44, 0);
  std::vector<std::pair<double, double>> rows;
  for (int i = 0; i < 500; ++i) rows.emplace_back(0.01 * static_cast<double>(1 + random.below(60)), random.uniform());
  const auto of = [](const std::vector<std::pair<double, double>>& pairs) {
    std::vector<double> similarities, weights;
    for (const auto& [similarity, weight] : pairs) {
      similarities.push_back(similarity);
      weights.push_back(weight);
    }
    return Conformal(similarities, weights);
  };
  const Conformal forward = of(rows);
  const Conformal backward = of({rows.rbegin(), rows.rend()});
  for (double eta = 0.0; eta < 1.0; eta += 0.0007) ASSERT_EQ(forward.p_value(eta), backward.p_value(eta)) << eta;
}

TEST(Conformal, FallsAsSurpriseGrowsAndStaysInItsRange) {
  for (const std::size_t m : {0U, 1U, 2U, 3U, 30U, 1000U}) {
    for (const auto& rows : {exponential_rows(m, 45), std::vector<double>(m, 0.2), std::vector<double>(m, -1.0)}) {
      const Conformal conformal(rows);
      double last = 1.0;
      for (int i = -1000; i <= 20000; ++i) {
        const double p = conformal.p_value(std::exp(-0.001 * i));
        ASSERT_GT(p, 0.0);
        ASSERT_LE(p, last) << m << " " << i;
        last = p;
      }
    }
  }
}

// Weights add up to M only up to rounding.
TEST(Conformal, IsAtMostOneWhateverTheWeights) {
  Random random(48, 0);
  for (std::size_t m = 1; m < 300; ++m) {
    std::vector<double> weights(m);
    for (double& weight : weights) weight = random.uniform();
    ASSERT_LE(Conformal(std::vector<double>(m, 0.5), weights).p_value(0.5), 1.0) << m;
  }
}

// One new row against 99 exchangeable ones, 4,000 times: p is uniform on 1/100, 2/100, ..., where the tail keeps what
// is beyond within the first. Kolmogorov-Smirnov on this lattice: above 1.95 in one of 1000.
TEST(Conformal, IsUniformForExchangeableRows) {
  constexpr int kRuns = 4000;
  std::vector<double> p;
  for (int run = 0; run < kRuns; ++run) {
    const auto rows = exponential_rows(100, 5000 + static_cast<std::uint64_t>(run));
    p.push_back(Conformal(std::span(rows).first(99)).p_value(rows[99]));
  }
  double worst = 0.0;
  for (int j = 1; j <= 100; ++j) worst = std::max(worst, std::abs(share_at_most(p, j / 100.0) - j / 100.0));
  EXPECT_LT(worst * std::sqrt(kRuns), 1.95);
}

TEST(Conformal, TellsFarRowsApart) {
  const Conformal conformal(exponential_rows(1000, 46));
  const double near = conformal.p_value(std::exp(-6.0));
  const double far = conformal.p_value(std::exp(-12.0));
  EXPECT_LT(near, 1.0 / 1001.0);
  EXPECT_LT(far, 1e-3 * near);
  EXPECT_EQ(conformal.p_value(-0.5), conformal.p_value(1e-8));
}

TEST(Conformal, WithoutRowsFindsNothingUnlikely) {
  const Conformal conformal(std::vector<double>{});
  for (const double eta : {1.0, 0.5, 0.0}) EXPECT_EQ(conformal.p_value(eta), 1.0);
}

// One row or equal rows show no scale: the rank is all that can be said.
TEST(Conformal, OfEqualRowsStopsAtTheRank) {
  for (const std::size_t m : {1U, 50U}) {
    const Conformal conformal(std::vector<double>(m, 0.5));
    EXPECT_EQ(conformal.p_value(0.5), 1.0);
    EXPECT_EQ(conformal.p_value(0.0), 1.0 / (static_cast<double>(m) + 1.0));
  }
}

TEST(Conformal, TakesRowsAtTheFloorAsEqual) {
  const Conformal conformal(std::vector<double>{-0.01, 1e-9, 0.0, 0.5});
  EXPECT_EQ(conformal.p_value(-3.0), 4.0 / 5.0);
  EXPECT_EQ(conformal.p_value(1e-8), 4.0 / 5.0);
  for (const double eta : conformal.similarities().first(3)) EXPECT_EQ(eta, 1e-8);
}

TEST(Conformal, ComesBackFromItsState) {
  const auto rows = rows_with_outliers(300, 5, 47);
  std::vector<double> weights(rows.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(1 + i % 3);
  const Conformal before(rows, weights);
  const Conformal after = Conformal::from_state(before.similarities(), before.weights());
  for (double s = 0.0; s < 19.0; s += 0.01) ASSERT_EQ(after.p_value(std::exp(-s)), before.p_value(std::exp(-s)));
  EXPECT_EQ(after.rows(), 300U);
}

// Pinned: these bits are the same on every machine, or law 1 is broken.
TEST(Conformal, GivesTheseBits) {
  std::vector<double> rows, weights;
  for (int i = 1; i <= 50; ++i) {
    rows.push_back(i / 64.0);
    weights.push_back(1.0 / i);
  }
  const Conformal conformal(rows, weights);
  EXPECT_EQ(conformal.p_value(0.5), 0x1.ced4dcba5fc14p-1);
  EXPECT_EQ(conformal.p_value(0.01), 0x1.b760af1f8d5dp-7);
  EXPECT_EQ(conformal.p_value(1e-5), 0x1.354de593603dcp-14);
}

TEST(Conformal, RefusesBadRows) {
  using V = std::vector<double>;
  EXPECT_EQ(complaint([] {
              Conformal(V{0.5, kNaN});
            }),
            "not_finite: the similarity of calibration row 2 is nan, it must be finite");
  EXPECT_EQ(complaint([] {
              Conformal(V{0.5, 0.6}, V{1.0});
            }),
            "shape_mismatch: there are 1 weights for 2 calibration rows");
  EXPECT_EQ(complaint([] {
              Conformal(V{0.5, 0.6}, V{0.0, 1.0});
            }),
            "invalid_argument: the weight of calibration row 1 is 0, it must be finite and above 0");
  EXPECT_EQ(complaint([] {
              Conformal(V{0.5, 0.6}, V{1.0, std::numeric_limits<double>::infinity()});
            }),
            "invalid_argument: the weight of calibration row 2 is inf, it must be finite and above 0");
  EXPECT_EQ(complaint([] { Conformal(V{0.5}).p_value(kNaN); }), "not_finite: a similarity is nan, it must be finite");
}

TEST(Conformal, RefusesStatesItNeverHad) {
  using V = std::vector<double>;
  EXPECT_EQ(complaint([] { Conformal::from_state(V{0.5}, V{}); }),
            "corrupt: there are 0 weights for 1 calibration rows");
  const auto second = [](double similarity, double weight) {
    return complaint([&] { Conformal::from_state(V{0.5, similarity}, V{2.0, weight}); });
  };
  const auto refusal = [](const char* similarity, const char* weight) {
    return std::string("corrupt: calibration row 2 has the similarity ") + similarity + " and the weight " + weight +
           "; they must be above 0 and in ascending order";
  };
  EXPECT_EQ(second(0.5, 2.0), "no complaint");
  EXPECT_EQ(second(0.4, 2.0), refusal("0.4", "2"));
  EXPECT_EQ(second(0.5, 1.0), refusal("0.5", "1"));
  EXPECT_EQ(second(0.6, 0.0), refusal("0.6", "0"));
  EXPECT_EQ(second(kNaN, 1.0), refusal("nan", "1"));
  EXPECT_EQ(second(0.6, kNaN), refusal("0.6", "nan"));
  EXPECT_EQ(
      complaint([] { Conformal::from_state(V{1e-9}, V{1.0}); }),
      "corrupt: calibration row 1 has the similarity 1e-09 and the weight 1; they must be above 0 and in ascending "
      "order");
}

}  // namespace
}  // namespace expose

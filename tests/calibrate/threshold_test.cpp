#include "expose/calibrate/threshold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "expose/base/random.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

using Flags = std::vector<char>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Judged {
  std::vector<double> p;
  std::vector<double> similarities;
  Flags eligible;
  Flags flagged(const Threshold& threshold) const { return flag(p, similarities, eligible, threshold); }
};

// Rows with p-values rounded to a lattice, so that there are ties in p and in similarity, and a fifth not eligible.
Judged some_rows(std::size_t n, std::uint64_t seed) {
  Random random(seed, 0);
  Judged rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.p.push_back(static_cast<double>(random.below(20)) / 20.0);
    rows.similarities.push_back(static_cast<double>(random.below(4)) / 4.0);
    rows.eligible.push_back(random.below(5) > 0);
  }
  return rows;
}

// Sorted by p, similarity and row; the first of them.
Flags slow_lowest(const Judged& rows, std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.p.size(); ++i) {
    if (rows.eligible[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows.similarities[a] < rows.similarities[b]; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows.p[a] < rows.p[b]; });
  Flags flags(rows.p.size());
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) flags[order[i]] = 1;
  return flags;
}

// The definition of Benjamini and Hochberg, cut by cut: of all p that could be the cut, the largest with p n <= q #.
Flags slow_fdr(const Judged& rows, double q) {
  const auto n = std::count(rows.eligible.begin(), rows.eligible.end(), 1);
  double cut = -1.0;
  for (std::size_t i = 0; i < rows.p.size(); ++i) {
    if (!rows.eligible[i]) continue;
    std::ptrdiff_t below = 0;
    for (std::size_t j = 0; j < rows.p.size(); ++j) below += rows.eligible[j] && rows.p[j] <= rows.p[i];
    if (rows.p[i] * static_cast<double>(n) <= q * static_cast<double>(below)) cut = std::max(cut, rows.p[i]);
  }
  Flags flags(rows.p.size());
  for (std::size_t i = 0; i < rows.p.size(); ++i) flags[i] = rows.eligible[i] && rows.p[i] <= cut;
  return flags;
}

TEST(Alpha, FlagsPUpToAlpha) {
  const Judged rows{{0.01, 0.010001, 0.001, 0.5, 0.0}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 0}};
  EXPECT_EQ(rows.flagged(Alpha{}), (Flags{1, 0, 1, 0, 0}));
  EXPECT_EQ(rows.flagged(Alpha{0.5}), (Flags{1, 1, 1, 1, 0}));
}

TEST(Fdr, FlagsAsInThePaper) {
  // The example of Benjamini and Hochberg (1995): of 15 p-values the first four are rejected at q = .05.
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const Judged rows{p, std::vector<double>(15), Flags(15, 1)};
  EXPECT_EQ(rows.flagged(Fdr{0.05}), (Flags{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Fdr, StepsUpOverARowThatFailsAlone) {
  const Judged rows{{0.04, 0.045, 0.05}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(rows.flagged(Fdr{0.05}), (Flags{1, 1, 1}));
}

TEST(Fdr, IsTheSlowOne) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const std::size_t n : {0U, 1U, 5U, 40U}) {
      const Judged rows = some_rows(n, seed);
      for (const double q : {0.05, 0.3, 0.6, 0.9})
        ASSERT_EQ(rows.flagged(Fdr{q}), slow_fdr(rows, q)) << seed << " " << n;
    }
  }
}

// 100 planted among 1,000: the share of false ones among the flagged is q times .9 on average, and all are found.
TEST(Fdr, ControlsTheShareOfFalseDiscoveries) {
  constexpr int kRuns = 300;
  constexpr double kQ = 0.1;
  double sum = 0.0, squares = 0.0;
  Random random(51, 0);
  for (int run = 0; run < kRuns; ++run) {
    Judged rows{{}, std::vector<double>(1000), Flags(1000, 1)};
    for (int i = 0; i < 1000; ++i) rows.p.push_back(random.uniform() * (i < 100 ? 1e-6 : 1.0));
    const Flags flags = rows.flagged(Fdr{kQ});
    ASSERT_EQ(std::count(flags.begin(), flags.begin() + 100, 1), 100);
    const auto wrong = static_cast<double>(std::count(flags.begin() + 100, flags.end(), 1));
    const double share = wrong / (100.0 + wrong);
    sum += share;
    squares += share * share;
  }
  const double mean = sum / kRuns;
  const double deviation = std::sqrt((squares / kRuns - mean * mean) / kRuns);
  EXPECT_NEAR(mean, 0.9 * kQ, 4.0 * deviation);
  EXPECT_LT(deviation, 0.01);
}

TEST(ContaminationAndTop, AreTheSlowOnes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const std::size_t n : {0U, 1U, 2U, 10U, 57U}) {
      const Judged rows = some_rows(n, 100 + seed);
      const auto eligible = static_cast<double>(std::count(rows.eligible.begin(), rows.eligible.end(), 1));
      for (const double share : {0.01, 0.1, 0.25, 0.5, 0.99}) {
        const auto count = static_cast<std::size_t>(std::lround(share * eligible));
        ASSERT_EQ(rows.flagged(Contamination{share}), slow_lowest(rows, count)) << seed << " " << n << " " << share;
      }
      for (const std::size_t count : {1U, 2U, 9U, 100U}) {
        ASSERT_EQ(rows.flagged(Top{count}), slow_lowest(rows, count)) << seed << " " << n << " " << count;
      }
    }
  }
}

TEST(Top, BreaksTiesBySimilarityThenRow) {
  const Judged rows{{0.1, 0.1, 0.1, 0.2}, {0.3, 0.2, 0.3, 0.1}, {1, 1, 1, 1}};
  EXPECT_EQ(rows.flagged(Top{1}), (Flags{0, 1, 0, 0}));
  EXPECT_EQ(rows.flagged(Top{2}), (Flags{1, 1, 0, 0}));
  EXPECT_EQ(rows.flagged(Top{3}), (Flags{1, 1, 1, 0}));
}

TEST(Flag, NeverFlagsWhatIsNotEligible) {
  const Judged rows{{kNaN, 0.0, 7.0}, {kNaN, 0.0, kNaN}, {0, 0, 0}};
  for (const Threshold& threshold :
       {Threshold(Alpha{0.9}), Threshold(Fdr{0.9}), Threshold(Contamination{0.9}), Threshold(Top{3})}) {
    EXPECT_EQ(rows.flagged(threshold), (Flags{0, 0, 0}));
  }
}

TEST(Flag, RefusesThresholdsOutOfRange) {
  const auto refusal = [](const Threshold& threshold) { return complaint([&] { Judged{}.flagged(threshold); }); };
  EXPECT_EQ(refusal(Alpha{0.0}), "invalid_argument: alpha is 0, it must be above 0 and below 1");
  EXPECT_EQ(refusal(Alpha{5.0}), "invalid_argument: alpha is 5, it must be above 0 and below 1");
  EXPECT_EQ(refusal(Alpha{kNaN}), "invalid_argument: alpha is nan, it must be above 0 and below 1");
  EXPECT_EQ(refusal(Fdr{1.0}), "invalid_argument: the false discovery rate is 1, it must be above 0 and below 1");
  EXPECT_EQ(refusal(Contamination{-0.1}),
            "invalid_argument: the contamination is -0.1, it must be above 0 and below 1");
  EXPECT_EQ(refusal(Top{0}), "invalid_argument: the number of top rows is 0, it must be at least 1");
  for (const Threshold& valid : {Threshold(), Threshold(Fdr{0.1}), Threshold(Contamination{0.5}), Threshold(Top{1})}) {
    EXPECT_EQ(refusal(valid), "no complaint");
  }
}

TEST(Flag, RefusesRowsThatDoNotFit) {
  EXPECT_EQ(complaint([] {
              Judged{{0.1, 0.2}, {1.0}, {1, 1, 1}}.flagged(Alpha{});
            }),
            "shape_mismatch: there are 2 p-values, 1 similarities and 3 marks of eligible rows");
  EXPECT_EQ(complaint([] {
              Judged{{0.1, 0.2}, {1.0, 1.0}, {1}}.flagged(Alpha{});
            }),
            "shape_mismatch: there are 2 p-values, 2 similarities and 1 marks of eligible rows");
  const std::string rule = "; a p-value must be in [0, 1], a similarity a number";
  EXPECT_EQ(complaint([] {
              Judged{{0.1, kNaN}, {0.5, 0.5}, {1, 1}}.flagged(Alpha{});
            }),
            "invalid_argument: row 2 has the p-value nan and the similarity 0.5" + rule);
  EXPECT_EQ(complaint([] {
              Judged{{1.5}, {0.5}, {1}}.flagged(Alpha{});
            }),
            "invalid_argument: row 1 has the p-value 1.5 and the similarity 0.5" + rule);
  EXPECT_EQ(complaint([] {
              Judged{{0.1}, {kNaN}, {1}}.flagged(Alpha{});
            }),
            "invalid_argument: row 1 has the p-value 0.1 and the similarity nan" + rule);
}

TEST(MuchLooksAnomalous, MeansMoreThanOneInTwenty) {
  std::vector<double> p(100, 0.5);
  EXPECT_FALSE(much_looks_anomalous({}));
  std::fill_n(p.begin(), 5, 0.001);
  EXPECT_FALSE(much_looks_anomalous(p));
  p[5] = 0.0011;
  EXPECT_FALSE(much_looks_anomalous(p));
  p[5] = 0.001;
  EXPECT_TRUE(much_looks_anomalous(p));
}

}  // namespace
}  // namespace expose

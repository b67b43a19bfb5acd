// What a detector says about a row: the same alone and in any batch, left out of its own judgement where it was
// learned, and with p-values that mean what they say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>

#include "expose/detector/detector.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

double share_up_to(double alpha, const std::vector<Verdict>& verdicts) {
  const auto flagged = std::ranges::count_if(verdicts, [&](const Verdict& v) { return v.p_value <= alpha; });
  return static_cast<double>(flagged) / static_cast<double>(verdicts.size());
}

std::vector<char> flags(const std::vector<Verdict>& verdicts) {
  std::vector<char> result;
  for (const Verdict& verdict : verdicts) result.push_back(verdict.anomalous ? 1 : 0);
  return result;
}

std::size_t flagged(const std::vector<Verdict>& verdicts) {
  return static_cast<std::size_t>(std::ranges::count_if(verdicts, &Verdict::anomalous));
}

// Normal rows with some far ones at the end.
Table with_outliers(std::size_t n, std::size_t d, std::size_t outliers, std::uint64_t seed) {
  Table table = normal_table(n, d, seed);
  for (std::size_t at = (n - outliers) * d; at < n * d; ++at) {
    table.values[at] += std::copysign(9.0F, table.values[at]);
  }
  return table;
}

bool passes(const Plan& made, Rows row) {
  std::vector<float> scaled(made.d());
  made.scaler().apply(row, scaled);
  return !made.gatekeeper() || made.admits(made.gatekeeper()->similarity(Rows(scaled, made.d()))[0]);
}

double self_similarity(const Plan& made, Rows row) {
  std::vector<float> scaled(made.d());
  made.scaler().apply(row, scaled);
  return made.map()->self_similarity(scaled);
}

class JudgingOf : public EveryMap {
 protected:
  static Options options() { return {.map = GetParam(), .r = kR, .threads = 1}; }
};
EXPOSE_FOR_EVERY_MAP(JudgingOf);

TEST_P(JudgingOf, ARowIsJudgedAloneAsInAnyBatch) {
  const Detector detector = fit(normal_table(500, kD, 1).rows(), options());
  const Table rows = normal_table(2500, kD, 2);
  const std::vector<Verdict> together = detector.judge(rows.rows());
  for (const std::size_t i : {0U, 1U, 17U, 2047U, 2048U, 2499U}) {
    EXPECT_EQ(detector.judge(rows.rows().slice(i, i + 1)), std::vector{together[i]});
  }
  for (const std::size_t step : {17U, 600U}) {
    std::vector<Verdict> pieces;
    for (std::size_t begin = 0; begin < rows.n(); begin += step) {
      const std::vector<Verdict> piece = detector.judge(rows.rows().slice(begin, std::min(begin + step, rows.n())));
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(pieces, together);
  }
}

TEST_P(JudgingOf, ThePValueIsThatOfTheSimilarity) {
  const Detector detector = fit(normal_table(500, kD, 1).rows(), options());
  for (const Verdict& verdict : detector.judge(with_outliers(100, kD, 20, 2).rows())) {
    EXPECT_EQ(detector.p_value(verdict.similarity), verdict.p_value);
  }
  EXPECT_EQ(fit(normal_table(10, kD, 1).rows(), options()).p_value(-1.0), 1.0);
}

TEST_P(JudgingOf, JudgingLearnsNothing) {
  const Detector detector = fit(normal_table(500, kD, 1).rows(), options());
  const Detector before = detector;
  detector.judge(normal_table(50, kD, 2).rows());
  detector.judge_fitted(normal_table(50, kD, 2).rows());
  EXPECT_EQ(detector, before);
}

// (n eta - k(x, x)) / (n - 1) if the row is in the mean, eta if the gate kept it out.
TEST_P(JudgingOf, AFittedRowIsLeftOutIffItPassedTheGate) {
  const Table table = normal_table(300, kD, 3);
  const Detection detection = detect(table.rows(), options());
  const std::vector<Verdict> as_new = detection.detector.judge(table.rows());
  const double n = detection.detector.mean().weight();
  int left_out = 0;
  for (std::size_t i = 0; i < table.n(); ++i) {
    const bool passed = passes(detection.detector.plan(), table.rows().slice(i, i + 1));
    const double eta = as_new[i].similarity;
    const double self = self_similarity(detection.detector.plan(), table.rows().slice(i, i + 1));
    EXPECT_EQ(detection.verdicts[i].similarity, passed ? (n * eta - self) / (n - 1) : eta);
    left_out += passed ? 1 : 0;
  }
  if (GetParam() == MapKind::isolation) {
    EXPECT_GE(left_out, 240);  // its similarities are counts: those at the threshold pass together
  } else {
    EXPECT_EQ(left_out, 240);
  }
}

// Random features have a length of exactly 1; Nystrom's have where every row is a landmark.
TEST_P(JudgingOf, LeftOutIsAsIfItHadReallyBeenForgotten) {
  const Table table = normal_table(100, kD, 4);
  const Detection detection = detect(table.rows(), {.map = GetParam(), .r = 200});
  for (std::size_t i = 0; i < table.n(); ++i) {
    const Records row = table.rows().slice(i, i + 1);
    Detector without = detection.detector;
    without.forget(row);
    EXPECT_NEAR(detection.verdicts[i].similarity, without.judge(row)[0].similarity, 1e-6) << i;
  }
}

TEST_P(JudgingOf, WeighedRowsTakeOneCopyOrLessWithThem) {
  const Table table = normal_table(100, kD, 5);
  std::vector<double> weights(100);
  for (std::size_t i = 0; i < 100; ++i) weights[i] = static_cast<double>(i % 5) / 2;
  const Detection detection = detect(table.rows(), {.map = GetParam(), .r = 200}, weights);
  const std::vector<Verdict> as_new = detection.detector.judge(table.rows());
  const double n = detection.detector.mean().weight();
  for (std::size_t i = 0; i < table.n(); ++i) {
    const bool passed = passes(detection.detector.plan(), table.rows().slice(i, i + 1));
    const double own = passed ? std::min(weights[i], 1.0) : 0.0;
    const double self = self_similarity(detection.detector.plan(), table.rows().slice(i, i + 1));
    EXPECT_EQ(detection.verdicts[i].similarity, (n * as_new[i].similarity - own * self) / (n - own)) << i;
  }
}

// p = (1 + #{calibration rows at most this similar}) / (M + 1), the calibration rows left out of their own judgement.
// Random features give similarities below 0: all of them say "like nothing".
TEST_P(JudgingOf, PValuesAreRanksAmongTheFittedRows) {
  const Table table = normal_table(300, kD, 10), rows = normal_table(500, kD, 11);
  const Detection detection = detect(table.rows(), options());
  const auto held = [](const Verdict& verdict) { return std::max(verdict.similarity, kSmallestSimilarity); };
  int beyond = 0;
  for (const Verdict& verdict : detection.detector.judge(rows.rows())) {
    const auto below =
        std::ranges::count_if(detection.verdicts, [&](const Verdict& fitted) { return held(fitted) <= held(verdict); });
    if (below > 0) {
      EXPECT_DOUBLE_EQ(verdict.p_value, (1 + static_cast<double>(below)) / 301);
    } else {
      ++beyond;
      EXPECT_LE(verdict.p_value, 1.0 / 301);
    }
  }
  EXPECT_LT(beyond, 25);
}

TEST_P(JudgingOf, CalibrationFollowsEveryChange) {
  const Table a = normal_table(300, kD, 6), b = normal_table(200, kD, 7), rows = normal_table(50, kD, 8);
  Detector changed = fit(a.rows(), options());
  const std::vector<Verdict> first = changed.judge(rows.rows());
  changed.learn(b.rows());
  Detector fresh(changed.plan(), 1);
  fresh.learn(b.rows());
  fresh.learn(a.rows());
  EXPECT_EQ(changed.judge(rows.rows()), fresh.judge(rows.rows()));
  EXPECT_NE(changed.judge(rows.rows()), first);
  changed.forget(b.rows());
  EXPECT_EQ(changed.judge(rows.rows()), first);
}

TEST_P(JudgingOf, FarRowsAreFoundAmongTheirOwn) {
  const Table table = with_outliers(600, kD, 6, 9);
  const Detection detection = detect(table.rows(), {.map = GetParam()});
  for (std::size_t i = 594; i < 600; ++i) EXPECT_TRUE(detection.verdicts[i].anomalous) << i;
  EXPECT_LE(flagged(detection.verdicts), 18U);
  EXPECT_FALSE(detection.much_looks_anomalous);
}

// Held-out rows of the same kind as the fitted ones: a share of alpha has p <= alpha, within what docs promise.
struct Kind {
  const char* name;
  std::size_t d;
  std::function<double(Random&)> draw;
};

double student(Random& random) {
  double chi = 0;
  for (int i = 0; i < 3; ++i) {
    const double z = random.normal();
    chi += z * z;
  }
  return random.normal() / std::sqrt(chi / 3);
}

TEST(Judging, PValuesOfNewRowsAreUniform) {
  const std::vector<Kind> kinds = {
      {"normal", 2, [](Random& random) { return random.normal(); }},
      {"normal", 10, [](Random& random) { return random.normal(); }},
      {"normal", 50, [](Random& random) { return random.normal(); }},
      {"student", 5, student},
      {"uniform", 3, [](Random& random) { return random.uniform(); }},
      {"lognormal", 4, [](Random& random) { return std::exp(random.normal()); }},
      {"two clusters", 1, [](Random& random) { return random.normal() + (random.uniform() < 0.5 ? 0 : 10); }},
      {"whole numbers", 2, [](Random& random) { return std::floor(3 * random.normal()); }},
  };
  for (const Kind& kind : kinds) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      Random random(seed, 7);
      Table table{std::vector<float>(7000 * kind.d), kind.d};
      for (float& value : table.values) value = static_cast<float>(kind.draw(random));
      const Detector detector = fit(table.rows().slice(0, 2000));
      const std::vector<Verdict> verdicts = detector.judge(table.rows().slice(2000, 7000));
      const auto near = [&](double alpha, double least, double most) {
        const double share = share_up_to(alpha, verdicts);
        EXPECT_TRUE(share >= least && share <= most)
            << share << " of " << kind.name << ", d = " << kind.d << " at " << alpha << ", seed " << seed;
      };
      near(0.5, 0.45, 0.55);
      near(0.1, 0.08, 0.115);
      near(0.05, 0.035, 0.065);
      near(0.01, 0.004, 0.018);
    }
  }
}

// Half of the rows are one value. Its hash seldom is among the smallest, so the calibration sample would lose it, and
// with it half of the rows.
TEST(Judging, AFrequentRowKeepsItsWeightInPValues) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Table table = normal_table(30000, 2, seed);
    for (std::size_t i = 0; i < table.n(); i += 2) table.values[2 * i] = table.values[2 * i + 1] = 0.25F;
    const Records fitted = table.rows().slice(0, 25000), fresh = table.rows().slice(25000, 30000);
    const Detector at_once = fit(fitted);
    Detector later(plan(fitted.slice(0, 500)));  // planned on a few rows, then learned many
    later.learn(fitted);
    for (const Detector& detector : {at_once, later}) {
      const std::vector<Verdict> verdicts = detector.judge(fresh);
      EXPECT_GT(verdicts[0].p_value, 0.5);
      EXPECT_NEAR(share_up_to(0.05, verdicts), 0.05, 0.015) << seed;
      EXPECT_NEAR(share_up_to(0.3, verdicts), 0.3, 0.05) << seed;
    }
  }
}

TEST(Judging, AModelThatForgotMostRowsDoesNotClaimToKnowMore) {
  const Table table = normal_table(40000, 2, 3);
  Detector detector = fit(table.rows());
  detector.forget(table.rows().slice(2000, 40000));  // 2,000 rows are left, of the calibration sample about 100
  const double known = static_cast<double>(detector.state().calibration.size());
  EXPECT_LT(known, 200);
  // Rows beyond all 100 of them are 1 % of the new ones: too many to call each of them one in 2,000.
  std::vector<Verdict> verdicts = detector.judge(normal_table(5000, 2, 4).rows());
  EXPECT_LT(share_up_to(0.001, verdicts), 0.003);
  detector.forget(table.rows().slice(200, 2000));
  verdicts = detector.judge(table.rows().slice(0, 100));
  ASSERT_LT(detector.state().calibration.size(), 20U);
  for (const Verdict& verdict : verdicts) EXPECT_EQ(verdict.status, Status::learning);
}

TEST(Judging, ThresholdsNeedNoRefit) {
  const Table table = with_outliers(1000, 3, 20, 4);
  Detector detector = fit(normal_table(1000, 3, 5).rows());
  const std::vector<Verdict> by_alpha = detector.judge(table.rows());
  for (const Verdict& verdict : by_alpha) EXPECT_EQ(verdict.anomalous, verdict.p_value <= 0.01);
  for (const Threshold& threshold :
       {Threshold(Alpha{0.2}), Threshold(Fdr{0.05}), Threshold(Contamination{0.1}), Threshold(Top{7})}) {
    detector.set_threshold(threshold);
    const std::vector<Verdict> verdicts = detector.judge(table.rows());
    EXPECT_NE(flags(verdicts), flags(by_alpha));
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      EXPECT_EQ(verdicts[i].similarity, by_alpha[i].similarity);
      EXPECT_EQ(verdicts[i].p_value, by_alpha[i].p_value);
    }
  }
}

TEST(Judging, SharesAndCountsAreOverTheBatch) {
  Table table = with_outliers(1000, 3, 20, 4);
  table.values[0] = std::numeric_limits<float>::infinity();
  Detector detector = fit(normal_table(1000, 3, 5).rows(), {.top = 7});
  const auto lowest = [&](const std::vector<Verdict>& verdicts) {
    double highest_flagged = 0, lowest_other = 1;
    for (const Verdict& v : verdicts) {
      (v.anomalous ? highest_flagged : lowest_other) =
          v.anomalous ? std::max(highest_flagged, v.p_value) : std::min(lowest_other, v.p_value);
    }
    return highest_flagged <= lowest_other;
  };
  std::vector<Verdict> verdicts = detector.judge(table.rows());
  EXPECT_EQ(flagged(verdicts), 7U);
  EXPECT_TRUE(lowest(verdicts));
  EXPECT_EQ(flagged(detector.judge(table.rows().slice(0, 5))), 4U);  // one of them is bad
  detector.set_threshold(Contamination{0.1});
  verdicts = detector.judge(table.rows());
  EXPECT_EQ(flagged(verdicts), 100U);
  EXPECT_TRUE(lowest(verdicts));
  detector.set_threshold(Fdr{0.05});
  verdicts = detector.judge(table.rows());
  std::vector<double> p;
  for (const Verdict& v : verdicts) {
    if (v.status == Status::ok) p.push_back(v.p_value);
  }
  std::sort(p.begin(), p.end());
  std::size_t rejected = 0;  // Benjamini and Hochberg: the last i with p_(i) <= q i / n
  for (std::size_t i = 1; i <= p.size(); ++i) {
    if (p[i - 1] <= 0.05 * static_cast<double>(i) / static_cast<double>(p.size())) rejected = i;
  }
  EXPECT_EQ(flagged(verdicts), rejected);
  EXPECT_GE(rejected, 15U);
}

TEST(Judging, FitsTakeTheirThresholdFromTheOptions) {
  const Table table = with_outliers(500, 3, 10, 6);
  EXPECT_EQ(fit(table.rows(), {.fdr = 0.25}).threshold(), Threshold(Fdr{0.25}));
  EXPECT_EQ(flagged(detect(table.rows(), {.top = 12}).verdicts), 12U);
  EXPECT_EQ(flagged(detect(table.rows(), {.contamination = 0.05}).verdicts), 25U);
  const std::vector<Verdict> found = detect(table.rows(), {.fdr = 0.05}).verdicts;
  for (std::size_t i = 490; i < 500; ++i) EXPECT_TRUE(found[i].anomalous) << i;
  EXPECT_LE(flagged(found), 14U);
}

// One of four is far away and scattered: more than anyone can call outliers.
TEST(Judging, SaysWhenMuchLooksAnomalous) {
  EXPECT_TRUE(detect(with_outliers(1000, 3, 150, 7).rows()).much_looks_anomalous);
  EXPECT_FALSE(detect(normal_table(1000, 3, 7).rows()).much_looks_anomalous);
}

TEST(JudgingThreads, ManyMayJudgeWithOneDetector) {
  const Table table = normal_table(3000, 3, 8);
  for (const std::size_t threads : {1U, 3U}) {
    const Detector detector = fit(table.rows(), {.threads = threads});  // not yet calibrated: they meet there too
    const Detector copy = detector;
    std::vector<std::vector<Verdict>> verdicts(4), fitted(4);
    {
      std::vector<std::jthread> judges;
      for (std::size_t t = 0; t < 4; ++t) {
        judges.emplace_back([&, t] {
          verdicts[t] = (t % 2 == 0 ? detector : copy).judge(table.rows());
          fitted[t] = detector.judge_fitted(table.rows());
        });
      }
    }
    const Detector alone = fit(table.rows(), {.threads = 1});
    for (const std::vector<Verdict>& some : verdicts) EXPECT_EQ(some, alone.judge(table.rows()));
    for (const std::vector<Verdict>& some : fitted) EXPECT_EQ(some, alone.judge_fitted(table.rows()));
  }
}

}  // namespace
}  // namespace expose

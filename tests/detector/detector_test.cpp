// Laws of the detector: order, blocks, threads, partition and repetition are not seen, to the bit; and after an Error
// it is what it was before.
#include "expose/detector/detector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "expose/base/hash.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

Table joined(const Table& a, const Table& b) {
  Table both = a;
  both.values.insert(both.values.end(), b.values.begin(), b.values.end());
  return both;
}

Detector detector_of(const Plan& made, Records rows, std::size_t threads = 1) {
  Detector detector(made, threads);
  detector.learn(rows);
  return detector;
}

std::vector<double> similarities(const Detector& detector, Records rows) {
  std::vector<double> eta;
  for (const Verdict& verdict : detector.judge(rows)) eta.push_back(verdict.similarity);
  return eta;
}

class DetectorOf : public EveryMap {
 protected:
  static Options options() { return {.map = GetParam(), .r = kR, .threads = 1}; }
};
EXPOSE_FOR_EVERY_MAP(DetectorOf);

TEST_P(DetectorOf, LearningMergingAndForgettingAgree) {
  const Table a = normal_table(700, kD, 1), b = normal_table(500, kD, 2), c = normal_table(300, kD, 3, 1.0);
  const Plan made = plan(a.rows(), options());
  const Detector at_once = detector_of(made, joined(a, b).rows());
  Detector one_by_one = detector_of(made, a.rows());
  one_by_one.learn(b.rows());
  const Detector merged = detector_of(made, b.rows()) + detector_of(made, a.rows());
  Detector forgotten = detector_of(made, joined(joined(c, b), a).rows());
  EXPECT_NE(forgotten, at_once);
  forgotten.forget(c.rows());
  EXPECT_EQ(one_by_one, at_once);
  EXPECT_EQ(merged, at_once);
  EXPECT_EQ(forgotten, at_once);  // calibration sample and all: it was never full
  EXPECT_GT(at_once.turned_away(), 100);
  EXPECT_EQ(merged.judge(c.rows()), at_once.judge(c.rows()));
  EXPECT_EQ(forgotten.judge(c.rows()), at_once.judge(c.rows()));
}

// More rows than the calibration sample holds: what was dropped from it to make room is lost, nothing else.
TEST_P(DetectorOf, LearningMergingAndForgettingAgreeBeyondTheCalibrationSample) {
  const Table a = normal_table(4000, kD, 1), b = normal_table(3000, kD, 2), c = normal_table(3500, kD, 3);
  const Plan made = plan(a.rows(), options());
  const Detector at_once = detector_of(made, joined(a, b).rows());
  const Detector merged = detector_of(made, b.rows()) + detector_of(made, a.rows());
  Detector forgotten = detector_of(made, joined(joined(c, b), a).rows());
  forgotten.forget(c.rows());
  EXPECT_EQ(merged, at_once);
  EXPECT_EQ(at_once.state().calibration.size(), Detector::kCalibrationRows);
  EXPECT_EQ(forgotten.mean(), at_once.mean());
  EXPECT_EQ(forgotten.weight(), at_once.weight());
  EXPECT_EQ(forgotten.turned_away(), at_once.turned_away());
  EXPECT_EQ(similarities(forgotten, c.rows()), similarities(at_once, c.rows()));
  EXPECT_LT(forgotten.state().calibration.size(), Detector::kCalibrationRows);
}

TEST_P(DetectorOf, OrderAndThreadsAreNotSeen) {
  const std::size_t n = 2 * 2048 + 77;
  const Table table = normal_table(n, kD, 4);
  const Detector detector = fit(table.rows(), options());
  EXPECT_EQ(fit(pick(table, shuffled(n, 9)).rows(), options()), detector);
  for (const std::size_t threads : {2U, 3U, 7U}) {
    Options more = options();
    more.threads = threads;
    const Detector by_more = fit(table.rows(), more);
    EXPECT_EQ(by_more, detector) << threads;
    EXPECT_EQ(by_more.judge(table.rows()), detector.judge(table.rows())) << threads;
    EXPECT_EQ(by_more.judge_fitted(table.rows()), detector.judge_fitted(table.rows())) << threads;
  }
}

// Whichever workers of the pool get the blocks, also when there are fewer blocks than workers.
TEST(DetectorThreads, AnyWorkersMayLearn) {
  const Table table = normal_table(2500, 2, 4);
  const Detector alone = fit(table.rows(), {.r = 16, .threads = 1});
  Detector empty(alone.plan(), 7);
  for (int round = 0; round < 50; ++round) {
    Detector detector = empty;
    detector.learn(table.rows());
    ASSERT_EQ(detector, alone) << round;
  }
}

TEST_P(DetectorOf, FloatAndDoubleAreTheSame) {
  const Table table = normal_table(300, kD, 5);
  const std::vector<double> doubles(table.values.begin(), table.values.end());
  const Detection a = detect(table.rows(), options());
  const Detection b = detect(Records(doubles, kD), options());
  EXPECT_EQ(a.detector, b.detector);
  EXPECT_EQ(a.verdicts, b.verdicts);
  EXPECT_EQ(a.detector.judge(table.rows()), a.detector.judge(Records(doubles, kD)));
}

TEST_P(DetectorOf, WholeWeightsAreRepetitions) {
  const Table table = normal_table(600, kD, 6);
  std::vector<double> weights;
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < table.n(); ++i) {
    weights.push_back(static_cast<double>(i % 4));
    repeated.insert(repeated.end(), i % 4, i);
  }
  const Detection weighted = detect(table.rows(), options(), weights);
  const Detection copied = detect(pick(table, repeated).rows(), options());
  EXPECT_EQ(weighted.detector, copied.detector);
  EXPECT_EQ(weighted.detector.judge(table.rows()), copied.detector.judge(table.rows()));
  for (std::size_t j = 0; j < repeated.size(); ++j) ASSERT_EQ(copied.verdicts[j], weighted.verdicts[repeated[j]]) << j;
}

TEST_P(DetectorOf, OtherWeightsAreRoundedTo1024ths) {
  const Table table = normal_table(100, kD, 7);
  const std::vector<double> thirds(100, 1.0 / 3), rounded(100, 341.0 / 1024);
  const Detection a = detect(table.rows(), options(), thirds);
  const Detection b = detect(table.rows(), options(), rounded);
  EXPECT_EQ(a.detector, b.detector);
  EXPECT_EQ(a.verdicts, b.verdicts);
  EXPECT_EQ(a.detector.weight(), 100 * 341.0 / 1024);
}

TEST_P(DetectorOf, WeightsAreForgottenAsTheyWereLearned) {
  const Table a = normal_table(300, kD, 8), b = normal_table(200, kD, 9);
  std::vector<double> weights(200);
  for (std::size_t i = 0; i < 200; ++i) weights[i] = static_cast<double>(i) / 64;
  Detector detector = fit(a.rows(), options());
  const Detector before = detector;
  detector.learn(b.rows(), weights);
  EXPECT_EQ(detector.weight(), 300 + std::accumulate(weights.begin(), weights.end(), 0.0));
  detector.forget(b.rows(), weights);
  EXPECT_EQ(detector, before);
}

TEST_P(DetectorOf, CountsWhatBecameOfEachRow) {
  const Detector empty(plan(normal_table(1000, kD, 10).rows(), options()), 3);
  Table table = normal_table(15000, kD, 11);
  const std::vector<std::size_t> bad = {5, 2047, 2048, 5000, 7000, 9000, 11000, 13000, 14999};
  for (const std::size_t i : bad) table.values[i * kD + i % kD] = i % 2 == 0 ? HUGE_VALF : -HUGE_VALF;
  Detector detector = empty;
  const Learned learned = detector.learn(table.rows());
  EXPECT_EQ(learned.rejected, bad);
  EXPECT_EQ(learned.learned + learned.turned_away, 15000 - bad.size());
  EXPECT_NEAR(static_cast<double>(learned.learned), 12000.0, 1500.0);
  EXPECT_EQ(detector.mean().weight(), static_cast<double>(learned.learned));
  EXPECT_EQ(detector.turned_away(), static_cast<double>(learned.turned_away));
  EXPECT_EQ(detector.weight(), static_cast<double>(15000 - bad.size()));
  const Learned forgotten = detector.forget(table.rows());
  EXPECT_EQ(forgotten.learned, learned.learned);
  EXPECT_EQ(forgotten.turned_away, learned.turned_away);
  EXPECT_EQ(forgotten.rejected, learned.rejected);
  EXPECT_EQ(detector.mean(), empty.mean());
  EXPECT_EQ(detector.weight(), 0.0);
}

// The rows that pass are those the gate of the plan names; their sum is the mean of the plain algebra.
TEST_P(DetectorOf, LearnsTheRowsThatPassTheGate) {
  const Table table = normal_table(400, kD, 12);
  const Detector detector = fit(table.rows(), options());
  const Plan& made = detector.plan();
  std::vector<float> row(made.d());
  MeanMap mean(made.map());
  for (std::size_t i = 0; i < table.n(); ++i) {
    made.scaler().apply(table.rows().slice(i, i + 1), row);
    if (made.admits(made.gatekeeper()->similarity(Rows(row, made.d()))[0])) mean.add(Rows(row, made.d()));
  }
  EXPECT_EQ(detector.mean(), mean);
  EXPECT_EQ(mean.weight(), 320.0);
}

TEST_P(DetectorOf, CopiesAreIndependent) {
  const Table a = normal_table(300, kD, 13), b = normal_table(100, kD, 14);
  Detector original = fit(a.rows(), options());
  const Detector fresh = fit(a.rows(), options());
  const std::vector<Verdict> before = original.judge(b.rows());
  Detector copy = original;
  EXPECT_EQ(copy.judge(b.rows()), before);
  copy.learn(b.rows());
  copy.set_threshold(Top{3});
  EXPECT_EQ(original, fresh);
  EXPECT_EQ(original.judge(b.rows()), before);
  EXPECT_NE(copy.judge(b.rows()), before);
  original.learn(b.rows());
  original.set_threshold(Top{3});
  EXPECT_EQ(original.judge(b.rows()), copy.judge(b.rows()));
}

TEST_P(DetectorOf, ForgettingWhatWasNeverLearnedChangesNothing) {
  const Table a = normal_table(300, kD, 15), more = normal_table(301, kD, 16);
  Detector detector = fit(a.rows(), options());
  const Detector before = detector;
  for (const Table& never : {more, pick(more, {0}), pick(a, {3, 3}), normal_table(1, kD, 17, 50.0)}) {
    EXPECT_THROW(detector.forget(never.rows()), Error);
    EXPECT_EQ(detector, before);
  }
}

TEST(Detector, SaysHowManyRowsWereTurnedAway) {
  const Table table = normal_table(100, 2, 1);
  Detector detector(plan(table.rows()), 1);
  const std::vector<float> far = {100.0F, 100.0F};
  detector.learn(Rows(far, 2));
  const std::vector<float> two = {-100.0F, 100.0F, -100.0F, 100.0F};
  EXPECT_EQ(complaint([&] { detector.forget(Rows(two, 2)); }),
            "not_found: what is to be taken out holds 2 rows that the gate keeps out, the model has seen 1 of those");
}

TEST(Detector, SaysWhichForgottenRowsAreLandmarks) {
  const Table table = normal_table(1000, 3, 2);
  Detector detector = fit(table.rows(), {.threads = 2});
  const Learned forgotten = detector.forget(table.rows());
  EXPECT_EQ(forgotten.landmarks.size(), 256U);
  const Plan& made = detector.plan();
  std::vector<float> row(3);
  for (const std::size_t i : forgotten.landmarks) {
    made.scaler().apply(table.rows().slice(i, i + 1), row);
    const std::vector<float>& landmarks = made.map()->recipe().landmarks;
    bool found = false;
    for (std::size_t j = 0; j < landmarks.size(); j += 3) found |= std::equal(row.begin(), row.end(), &landmarks[j]);
    EXPECT_TRUE(found) << i;
  }
  EXPECT_TRUE(detector.learn(table.rows()).landmarks.empty());
  Detector random = fit(table.rows(), {.map = MapKind::fourier, .r = 16});
  EXPECT_TRUE(random.forget(table.rows()).landmarks.empty());
}

TEST(Detector, RowsOfWeightZeroAreNotThere) {
  const Table table = normal_table(200, 3, 3);
  Detector detector = fit(table.rows());
  const Detector before = detector;
  const Learned learned = detector.learn(table.rows(), std::vector<double>(200, 0.0));
  EXPECT_EQ(learned.learned + learned.turned_away, 0U);
  EXPECT_EQ(detector, before);
}

TEST(Detector, RefusesOtherWidthsAndWeightsAndStaysAsItWas) {
  const Table table = normal_table(50, 3, 4), wide = normal_table(2, 4, 4);
  Detector detector = fit(table.rows());
  const Detector before = detector;
  const std::string sentence = "shape_mismatch: rows have 4 columns, the plan takes 3";
  EXPECT_EQ(complaint([&] { detector.learn(wide.rows()); }), sentence);
  EXPECT_EQ(complaint([&] { detector.forget(wide.rows()); }), sentence);
  EXPECT_EQ(complaint([&] { detector.judge(wide.rows()); }), sentence);
  EXPECT_EQ(complaint([&] { detector.judge_fitted(wide.rows()); }), sentence);
  const std::vector<double> few = {1.0, 2.0}, bad(50, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(complaint([&] { detector.learn(table.rows(), few); }), "shape_mismatch: there are 50 rows and 2 weights");
  EXPECT_EQ(complaint([&] { detector.judge_fitted(table.rows(), few); }),
            "shape_mismatch: there are 50 rows and 2 weights");
  EXPECT_EQ(complaint([&] { detector.forget(table.rows(), bad); }),
            "invalid_argument: weight 1 must be a number from 0 to 2^40, it is nan");
  EXPECT_EQ(detector, before);
  EXPECT_EQ(complaint([&] { detector.set_threshold(Alpha{2.0}); }),
            "invalid_argument: alpha is 2, it must be above 0 and below 1");
  EXPECT_EQ(detector, before);
}

TEST(Detector, NoRowsAreNoChange) {
  const Table table = normal_table(50, 3, 5);
  Detector detector = fit(table.rows());
  const Detector before = detector;
  detector.learn(Records());
  detector.forget(Records());
  EXPECT_EQ(detector, before);
  EXPECT_TRUE(detector.judge(Records()).empty());
  EXPECT_TRUE(detector.judge_fitted(Records()).empty());
}

TEST(Detector, MergesOnlyModelsOfItsPlan) {
  const Table a = normal_table(50, 3, 6), b = normal_table(50, 3, 7);
  Detector one = fit(a.rows());
  const Detector before = one, other = fit(b.rows());
  EXPECT_EQ(complaint([&] { one.merge(other); }),
            "incompatible: models are merged and compared only if they have the same plan (make the second as "
            "Detector(first.plan())); these have the fingerprints " +
                hex(one.fingerprint()) + " and " + hex(other.fingerprint()));
  EXPECT_EQ(one, before);
}

TEST(Detector, MergedWithItselfItHasLearnedTwice) {
  const Table table = normal_table(300, 3, 8);
  Detector twice = fit(table.rows());
  Detector other = twice;
  other.learn(table.rows());
  twice.merge(twice);
  EXPECT_EQ(twice, other);
}

TEST(Detector, RemembersEverythingOrNothing) {
  const Plan fading = plan(normal_table(50, 3, 9).rows(), {.memory = Fading{0.01}});
  EXPECT_EQ(complaint([&] { Detector{fading}; }),
            "invalid_argument: a Detector remembers everything; for the memory fading:0.01 take a Watcher");
}

TEST(Detector, IsLearningUntilThereAreEnoughRows) {
  const Table table = normal_table(60, 3, 10);
  Detector detector(plan(table.rows()), 1);
  for (const Verdict& verdict : detector.judge(table.rows())) EXPECT_EQ(verdict, (Verdict{.status = Status::learning}));
  detector.learn(table.rows().slice(0, 19));
  for (const Verdict& verdict : detector.judge(table.rows())) {
    EXPECT_EQ(verdict.status, Status::learning);
    EXPECT_EQ(verdict.p_value, 1.0);
    EXPECT_FALSE(verdict.anomalous);
    EXPECT_NE(verdict.similarity, 0.0);
  }
  for (const Verdict& verdict : detector.judge_fitted(table.rows())) EXPECT_EQ(verdict.status, Status::learning);
  detector.learn(table.rows().slice(19, 20));
  for (const Verdict& verdict : detector.judge(table.rows())) EXPECT_EQ(verdict.status, Status::ok);
  for (const Verdict& verdict : detector.judge_fitted(table.rows())) EXPECT_EQ(verdict.status, Status::ok);
}

TEST(Detector, RejectsBadRows) {
  Table table = normal_table(5000, 3, 11);
  const Detector detector = fit(table.rows());
  const std::vector<Verdict> before = detector.judge(table.rows());
  for (const std::size_t bad : {0U, 1U, 700U, 2048U, 4999U}) table.values[3 * bad + 1] = HUGE_VALF;
  const std::vector<Verdict> verdicts = detector.judge(table.rows());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool bad = i <= 1 || i == 700 || i == 2048 || i == 4999;
    ASSERT_EQ(verdicts[i], bad ? Verdict{.status = Status::rejected} : before[i]) << i;
  }
}

TEST(Detector, StatusesHaveNames) {
  EXPECT_EQ(name(Status::ok), "ok");
  EXPECT_EQ(name(Status::learning), "learning");
  EXPECT_EQ(name(Status::unknown), "unknown");
  EXPECT_EQ(name(Status::rejected), "rejected");
}

}  // namespace
}  // namespace expose

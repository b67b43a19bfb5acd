// Feedback on false alarms: the smallest weight that silences one, and every bit back when it is withdrawn.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expose/detector/detector.hpp"
#include "expose/detector/model_file.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

class FeedbackOf : public EveryMap {
 protected:
  static Detector detector() {
    const std::size_t r = GetParam() == MapKind::nystrom ? 128 : 1024;
    return fit(normal_table(600, kD, 1).rows(), {.map = GetParam(), .r = r, .alpha = 0.05, .threads = 1});
  }
  // Normal rows that are flagged, by chance, and stay outside the gate.
  static Table alarms(const Detector& detector, std::size_t wanted) {
    const Table fresh = normal_table(1000, kD, 9);
    Table found{{}, kD};
    for (std::size_t i = 0; i < fresh.n() && found.n() < wanted; ++i) {
      const Rows row = fresh.rows().slice(i, i + 1);
      if (!detector.judge(row)[0].anomalous || Detector(detector).learn(row).turned_away == 0) continue;
      found.values.insert(found.values.end(), row[0].begin(), row[0].end());
    }
    EXPECT_EQ(found.n(), wanted);
    return found;
  }
};
EXPOSE_FOR_EVERY_MAP(FeedbackOf);

TEST_P(FeedbackOf, SilencesAFalseAlarmWithTheSmallestWeight) {
  const Detector before = detector();
  Detector after = before;
  const Table row = alarms(before, 1);
  const std::vector<double> weights = after.vouch(row.rows());
  ASSERT_EQ(weights.size(), 1U);
  EXPECT_GE(weights[0], 1);
  EXPECT_EQ(weights[0], std::floor(weights[0]));
  EXPECT_FALSE(after.judge(row.rows())[0].anomalous);
  EXPECT_GT(after.judge(row.rows())[0].p_value, 0.05);
  Detector less = before;
  less.vouch(row.rows(), std::vector{weights[0] - 1});
  EXPECT_TRUE(less.judge(row.rows())[0].anomalous);
  EXPECT_EQ(after.vouch(row.rows()), std::vector{0.0});  // it is silent already
}

TEST_P(FeedbackOf, IsTakenBackToTheBit) {
  const Detector before = detector();
  Detector after = before;
  const Table rows = alarms(before, 2);
  const std::vector<double> weights = after.vouch(rows.rows());
  EXPECT_NE(after, before);
  EXPECT_EQ(after.state().calibration, before.state().calibration);
  EXPECT_EQ(after.turned_away(), before.turned_away());
  after.withdraw(rows.rows(), weights);
  EXPECT_EQ(after, before);
  EXPECT_EQ(after.judge(rows.rows()), before.judge(rows.rows()));
  after.vouch(rows.rows(), std::vector{2.5, 1.25});
  after.withdraw(rows.rows(), std::vector{2.5, 1.25});
  EXPECT_EQ(after, before);
}

TEST_P(FeedbackOf, IsASumLikeAnyOther) {
  const Detector before = detector();
  const Table row = alarms(before, 1), more = normal_table(300, kD, 2);
  const std::vector weights = {3.0};
  Detector one = before, other = before;
  one.vouch(row.rows(), weights);
  one.learn(more.rows());
  other.learn(more.rows());
  other.vouch(row.rows(), weights);
  EXPECT_EQ(one, other);
  one.forget(more.rows());
  one.withdraw(row.rows(), weights);
  EXPECT_EQ(one, before);
  Detector part(before.plan(), 1);
  part.learn(more.rows());
  part.vouch(row.rows(), weights);
  EXPECT_EQ(before + part, other);
  EXPECT_EQ(detector_from_bytes(to_bytes(other)), other);
}

// A row of weight 1 past the gate is one row more in the mean, and none in the calibration sample.
TEST_P(FeedbackOf, AddsWhatLearningPastTheGateWouldAdd) {
  Detector vouched = detector();
  MeanMap mean = vouched.mean();
  const Table row = alarms(vouched, 1);
  vouched.vouch(row.rows(), std::vector{2.0});
  std::vector<float> scaled(kD);
  vouched.plan().scaler().apply(row.rows(), scaled);
  mean.add(Rows(scaled, kD));
  mean.add(Rows(scaled, kD));
  EXPECT_EQ(vouched.mean(), mean);
}

TEST(Feedback, SaysWhatItCannotDo) {
  Detector detector = fit(normal_table(600, 2, 1).rows(), {.r = 32, .alpha = 0.05, .threads = 1});
  const Detector before = detector;
  const std::vector<float> far = {1e6F, 1e6F}, bad = {0.0F, std::numeric_limits<float>::infinity()}, wide = {1, 2, 3};
  EXPECT_EQ(complaint([&] { detector.vouch(Rows(far, 2)); }),
            "not_found: no weight up to the 480 of the model makes row 1 likely: there is nothing like it in the map; "
            "fit with it");
  EXPECT_EQ(
      complaint([&] { detector.vouch(Rows(bad, 2)); }),
      "not_finite: row 1 has values that the plan takes no account of (missing or infinite): it cannot be vouched for");
  EXPECT_EQ(complaint([&] { detector.vouch(Rows(wide, 3)); }), "shape_mismatch: rows have 3 columns, the plan takes 2");
  EXPECT_EQ(complaint([&] {
              detector.vouch(Rows(far, 2), std::vector{1.0, 2.0});
            }),
            "shape_mismatch: there are 1 rows and 2 weights");
  EXPECT_EQ(detector, before);
  EXPECT_NE(complaint([&] { detector.withdraw(Rows(far, 2), std::vector{1000.0}); }), "no complaint");
  EXPECT_EQ(detector, before);
}

}  // namespace
}  // namespace expose

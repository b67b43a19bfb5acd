// One model taken out of another: what is left is the model of the other rows, to the bit.
#include <gtest/gtest.h>

#include "expose/detector/detector.hpp"
#include "tests/detector/streams.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

void expect_equal_models(const Detector& a, const Detector& b, Records rows) {
  EXPECT_EQ(a.mean(), b.mean());
  EXPECT_EQ(a.weight(), b.weight());
  EXPECT_EQ(a.turned_away(), b.turned_away());
  const std::vector<Verdict> x = a.judge(rows), y = b.judge(rows);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].similarity, y[i].similarity);
}

TEST(Unmerge, AllButAHostIsWhatTheOthersLearned) {
  const Flow others = normal_flow(300, 3, 1), host = normal_flow(100, 3, 2, 0.5);
  const Plan all = plan((others + host).rows(), Options{.r = 50});
  const Detector left = learned_by(all, others + host) - learned_by(all, host);
  expect_equal_models(left, learned_by(all, others), host.rows());
  EXPECT_EQ(left, learned_by(all, others));  // all rows fit in the samples: these are equal too
}

TEST(Unmerge, IsExactWithMoreRowsThanAreKept) {
  const Flow others = normal_flow(3000, 2, 1), host = normal_flow(2500, 2, 2);
  const Plan all = plan(others.rows(), Options{.r = 30});
  expect_equal_models(learned_by(all, others + host) - learned_by(all, host), learned_by(all, others), host.rows());
}

// Checkpoints of one growing model: a later one minus an earlier one is the time between. Two such hours, added.
TEST(Unmerge, ASumOfDifferencesIsTheModelOfThoseHours) {
  const Flow week = normal_flow(400, 3, 5);
  const Plan frozen = plan(week.rows(), Options{.r = 40});
  Detector growing(frozen, 1);
  std::vector<Detector> checkpoints = {growing};
  for (std::size_t hour = 0; hour < 4; ++hour) {
    growing.learn(week.rows(100 * hour, 100 * hour + 100));
    checkpoints.push_back(growing);
  }
  const Detector same_hour = (checkpoints[1] - checkpoints[0]) + (checkpoints[3] - checkpoints[2]);
  Detector expected(frozen, 1);
  expected.learn(week.rows(0, 100));
  expected.learn(week.rows(200, 300));
  expect_equal_models(same_hour, expected, week.rows());
}

TEST(Unmerge, EverythingTakenOutLeavesAnEmptyModel) {
  const Flow flow = normal_flow(100, 3, 1);
  const Plan own = plan(flow.rows(), Options{.r = 20});
  EXPECT_EQ(learned_by(own, flow) - learned_by(own, flow), Detector(own, 1));
}

TEST(Unmerge, MoreThanIsThereIsRefusedAndNothingChanges) {
  const Flow flow = normal_flow(100, 3, 1), far = normal_flow(50, 3, 2, 40.0);
  const Plan own = plan(flow.rows(), Options{.r = 20});
  Detector detector = learned_by(own, flow);
  const Detector before = detector;
  const auto refused = [&](const Detector& other) { return complaint([&] { detector.unmerge(other); }); };
  EXPECT_EQ(refused(learned_by(own, flow + flow)),
            "invalid_argument: cannot forget weight " + std::to_string(static_cast<int>(2 * before.mean().weight())) +
                ": the mean has learned " + std::to_string(static_cast<int>(before.mean().weight())));
  EXPECT_EQ(refused(learned_by(own, far)),
            "not_found: what is to be taken out holds 50 rows that the gate keeps out, the model has seen " +
                std::to_string(static_cast<int>(before.turned_away())) + " of those");
  EXPECT_EQ(detector, before);
}

}  // namespace
}  // namespace expose

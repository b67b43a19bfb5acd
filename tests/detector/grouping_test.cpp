// Groups judged as one, error bars and trust, by a detector.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expose/detector/detector.hpp"
#include "tests/detector/streams.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

Flow with_bad_row(Flow flow) {
  flow.values[1] = std::numeric_limits<double>::infinity();
  return flow;
}

TEST(Grouping, SimilarityIsTheMeanOfTheRows) {
  const Detector detector = fit(normal_flow(200, 3, 1).rows(), Options{.r = 40});
  const Flow group = normal_flow(30, 3, 2);
  double mean = 0;
  for (const Verdict& verdict : detector.judge(group.rows())) mean += verdict.similarity / 30;
  const GroupVerdict verdict = detector.judge_group(group.rows());
  EXPECT_NEAR(verdict.similarity, mean, 1e-12);
  EXPECT_EQ(verdict.rows, 30U);
  EXPECT_EQ(verdict.status, Status::ok);
}

TEST(Grouping, OneRowIsJudgedAsARow) {
  const Detector detector = fit(normal_flow(200, 3, 1).rows(), Options{.r = 40});
  for (const double centre : {0.0, 2.0, 9.0}) {
    const Flow row = normal_flow(1, 3, 3, centre);
    const Verdict alone = detector.judge(row.rows())[0];
    EXPECT_EQ(
        detector.judge_group(row.rows()),
        (GroupVerdict{.similarity = alone.similarity, .p_value = alone.p_value, .rows = 1, .status = Status::ok}));
  }
}

// A group's verdict depends on its own rows: not on the other groups, nor on the order of rows, nor on threads.
TEST(Grouping, ManyGroupsAreEachOnItsOwn) {
  const Flow table = normal_flow(300, 3, 1), rows = normal_flow(90, 3, 2);
  const Detector detector = fit(table.rows(), Options{.r = 40, .threads = 4});
  std::vector<std::uint32_t> group;
  for (std::uint32_t i = 0; i < 90; ++i) group.push_back(i % 2 == 0 ? 0 : 3);
  const std::vector<GroupVerdict> verdicts = detector.judge_groups(rows.rows(), group);
  ASSERT_EQ(verdicts.size(), 4U);
  EXPECT_EQ(verdicts[1], (GroupVerdict{.rows = 0, .status = Status::rejected}));  // nobody is in it
  std::vector<std::size_t> odd;
  for (std::size_t i = 89; i < 90; i -= 2) odd.push_back(i);
  EXPECT_EQ(verdicts[3], fit(table.rows(), Options{.r = 40, .threads = 1}).judge_group(pick(rows, odd).rows()));
}

TEST(Grouping, BadRowsAreLeftOut) {
  const Detector detector = fit(normal_flow(200, 3, 1).rows(), Options{.r = 40});
  const Flow bad = with_bad_row(normal_flow(1, 3, 2)), good = normal_flow(20, 3, 3);
  EXPECT_EQ(detector.judge_group((bad + good).rows()), detector.judge_group(good.rows()));
  EXPECT_EQ(detector.judge_group(bad.rows()), GroupVerdict{});
  EXPECT_EQ(detector.judge_group(bad.rows(0, 0)), GroupVerdict{});
}

TEST(Grouping, ASmallCommonShiftIsFoundThatNoRowShows) {
  const Detector detector = fit(normal_flow(1500, 4, 1).rows(), Options{.r = 100});
  const Flow group = normal_flow(400, 4, 2, 0.5);
  double lowest = 1;
  for (const Verdict& verdict : detector.judge(group.rows())) lowest = std::min(lowest, verdict.p_value);
  EXPECT_GT(400 * lowest, 0.05);
  EXPECT_LT(detector.judge_group(group.rows()).p_value, 1e-3);
}

// A model and a group of its own each time; without a gate, whose choice of rows shows with so few of them
// (docs/groups.md). Kolmogorov-Smirnov: 1.63 / sqrt(n) is exceeded 1 % of the time.
TEST(Grouping, NormalGroupsHaveUniformPValues) {
  std::vector<double> p;
  for (std::uint64_t time = 0; time < 100; ++time) {
    const Detector detector =
        fit(normal_flow(400, 3, 2 * time + 1).rows(), Options{.r = 50, .trim = 0.0, .threads = 1});
    p.push_back(detector.judge_group(normal_flow(300, 3, 2 * time + 2).rows()).p_value);
  }
  std::sort(p.begin(), p.end());
  double distance = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    distance = std::max({distance, std::abs(p[i] - static_cast<double>(i) / 100.0),
                         std::abs(p[i] - static_cast<double>(i + 1) / 100.0)});
  }
  EXPECT_LT(distance, 1.63 / 10);
}

TEST(Grouping, FewRowsAreLearning) {
  const Detector detector = fit(normal_flow(10, 3, 1).rows());
  const GroupVerdict verdict = detector.judge_group(normal_flow(5, 3, 2).rows());
  EXPECT_EQ(verdict.status, Status::learning);
  EXPECT_EQ(verdict.p_value, 1.0);
}

TEST(Grouping, AChangedModelIsCalibratedAnew) {
  Detector detector = fit(normal_flow(200, 3, 1).rows(), Options{.r = 40});
  const Flow group = normal_flow(50, 3, 2, 0.5);
  const GroupVerdict before = detector.judge_group(group.rows());
  detector.learn(normal_flow(200, 3, 3, 0.5).rows());
  EXPECT_GT(detector.judge_group(group.rows()).p_value, before.p_value);
}

TEST(Grouping, WrongShapesAreRefused) {
  const Detector detector = fit(normal_flow(50, 3, 1).rows());
  const std::vector<std::uint32_t> two(2, 0);
  EXPECT_EQ(complaint([&] { detector.judge_groups(normal_flow(3, 3, 1).rows(), two); }),
            "shape_mismatch: there are 2 groups for 3 rows");
  EXPECT_EQ(complaint([&] { detector.judge_group(normal_flow(3, 4, 1).rows()); }),
            "shape_mismatch: rows have 4 columns, the plan takes 3");
}

TEST(ErrorBars, AreThoseOfTheScaledRowsAndInfiniteForBadOnes) {
  const Detector detector = fit(normal_flow(200, 3, 1).rows(), Options{.map = MapKind::fourier, .r = 64});
  const Flow rows = with_bad_row(normal_flow(5, 3, 2));
  const std::vector<ErrorBar> bars = detector.error_bars(rows.rows());
  EXPECT_TRUE(std::isinf(bars[0].total()));
  std::vector<float> scaled(4 * 3);
  detector.plan().scaler().apply(rows.rows(1, 5), scaled);
  const std::vector<ErrorBar> expected = error_bars(Similarity(detector.mean()), Rows(scaled, 3));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bars[i + 1].monte_carlo, expected[i].monte_carlo);
    EXPECT_EQ(bars[i + 1].sampling, expected[i].sampling);
    EXPECT_GT(bars[i + 1].monte_carlo, 0);
  }
}

TEST(Trusting, ASmallMapIsNamedAsSmall) {
  const Flow table = normal_flow(500, 5, 1);
  const Trust few = fit(table.rows(), Options{.map = MapKind::fourier, .r = 16}).trust();
  EXPECT_FALSE(few.enough);
  EXPECT_GT(few.r_needed, 16U);
  EXPECT_TRUE(fit(table.rows(), Options{.map = MapKind::fourier, .r = 4096}).trust().enough);
  EXPECT_TRUE(fit(table.rows()).trust().enough);
  EXPECT_EQ(fit(table.rows()).trust().noise, 0.0);
  EXPECT_TRUE(Detector(plan(table.rows())).trust().enough);  // empty
}

}  // namespace
}  // namespace expose

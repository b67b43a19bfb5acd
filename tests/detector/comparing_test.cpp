// Drift between detectors: its level with a plan made from one of them, what it sees, and what it names.
#include "expose/detector/comparing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/detector/streams.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

Flow moved(Flow flow, std::size_t column, double by) {
  for (std::size_t i = column; i < flow.values.size(); i += flow.d) flow.values[i] += by;
  return flow;
}

// Of so many pairs of samples of one kind those that are flagged, with a plan made from the first: its rows are the
// landmarks and the gate. seed: of the first sample.
struct Pairs {
  std::uint64_t count, seed;
  std::size_t n, d, r;
};
int flagged_at(double level, const Pairs& pairs) {
  int flagged = 0;
  for (std::uint64_t pair = 0; pair < pairs.count; ++pair) {
    const std::uint64_t seed = 2 * pair + pairs.seed;
    const Flow a = normal_flow(pairs.n, pairs.d, seed), b = normal_flow(pairs.n, pairs.d, seed + 1);
    const Plan own = plan(a.rows(), Options{.r = pairs.r, .threads = 1});
    flagged += drift_p_value(learned_by(own, a), learned_by(own, b)) <= level ? 1 : 0;
  }
  return flagged;
}

// 100 pairs at 5 %: 5 expected, sd 2.2.
TEST(Drifting, AnOwnPlanIsNoDrift) {
  EXPECT_LE(flagged_at(0.05, {.count = 100, .seed = 100, .n = 60, .d = 3, .r = 40}), 12);
}

// More rows than are kept: the means are compared, without the landmarks. 12 pairs at 20 %: 2.4 expected, sd 1.4.
TEST(Drifting, AnOwnPlanOfManyRowsIsNoDrift) {
  EXPECT_LE(flagged_at(0.2, {.count = 12, .seed = 1000, .n = 2100, .d = 8, .r = 256}), 7);
}

TEST(Drifting, TheColumnThatMovedIsSeenAndNamed) {
  for (const std::size_t n : {100, 2500}) {
    for (const std::size_t column : {0, 3}) {
      const Flow a = normal_flow(n, 5, 1), b = moved(normal_flow(n, 5, 2), column, 1.0);
      const Plan own = plan(a.rows(), Options{.r = 60});
      const Drift found = drift(learned_by(own, a), learned_by(own, b));
      EXPECT_LT(found.p_value, 1e-4) << n;
      EXPECT_EQ(std::max_element(found.features.begin(), found.features.end()) - found.features.begin(),
                static_cast<std::ptrdiff_t>(column));
      EXPECT_NEAR(std::accumulate(found.features.begin(), found.features.end(), 0.0), 1.0, 1e-12);
      EXPECT_EQ(drift_p_value(learned_by(own, a), learned_by(own, b)), found.p_value);
    }
  }
}

// Whoever leaves the gate is in no mean, and still counts.
TEST(Drifting, WhoeverLeavesTheGateIsSeen) {
  const Flow a = normal_flow(2500, 3, 1), half = normal_flow(1250, 3, 2) + normal_flow(1250, 3, 3, 20.0);
  const Plan own = plan(a.rows(), Options{.r = 60});
  const Detector b = learned_by(own, half);
  EXPECT_GT(b.turned_away(), 1250);
  const Drift found = drift(learned_by(own, a), b);
  EXPECT_LT(found.p_value, 1e-100);
  EXPECT_GT(found.mmd, 0.3);
}

TEST(Drifting, AModelDoesNotDriftFromItself) {
  for (const std::size_t n : {100, 2500}) {
    const Detector a = fit(normal_flow(n, 3, 1).rows(), Options{.r = 40});
    EXPECT_EQ(drift(a, a).mmd, 0.0);
    EXPECT_GT(drift(a, a).p_value, 0.9);
  }
}

TEST(Drifting, IsTheSameBothWays) {
  const Flow a = normal_flow(150, 3, 1), b = moved(normal_flow(80, 3, 2), 0, 0.4);
  const Plan own = plan(a.rows(), Options{.r = 40});
  const Drift there = drift(learned_by(own, a), learned_by(own, b)),
              back = drift(learned_by(own, b), learned_by(own, a));
  EXPECT_NEAR(there.p_value, back.p_value, 1e-5);
  EXPECT_NEAR(there.mmd, back.mmd, 1e-12);
}

TEST(Drifting, EmptyModelsAndConstantColumns) {
  Flow a = normal_flow(50, 3, 1);
  for (std::size_t i = 1; i < a.values.size(); i += 3) a.values[i] = 7.0;
  const Plan own = plan(a.rows(), Options{.r = 20});
  const Detector empty(own, 1);
  EXPECT_EQ(drift(empty, empty), (Drift{.mmd = 0, .p_value = 1, .features = {0, 0, 0}}));
  EXPECT_EQ(drift(learned_by(own, a), empty).p_value, 1.0);
  EXPECT_EQ(drift(learned_by(own, a), learned_by(own, moved(a, 0, 2.0))).features[1], 0.0);  // the plan dropped it
}

TEST(Drifting, ThreadsDecideNoBit) {
  const Flow a = normal_flow(2500, 4, 1), b = normal_flow(2500, 4, 2, 0.1);
  const Plan own = plan(a.rows(), Options{.r = 60});
  Detector one(own, 1), four(own, 4);
  one.learn(a.rows());
  four.learn(a.rows());
  EXPECT_EQ(drift(one, learned_by(own, b)), drift(four, learned_by(own, b)));
}

TEST(Drifting, DifferentPlansAreRefused) {
  const Detector a = fit(normal_flow(50, 3, 1).rows()), b = fit(normal_flow(50, 3, 2).rows());
  const std::string sentence = complaint([&] { drift(a, b); });
  EXPECT_EQ(sentence.substr(0, 13), "incompatible:");
  EXPECT_EQ(sentence, complaint([&] { Detector(a) - b; }));
}

}  // namespace
}  // namespace expose

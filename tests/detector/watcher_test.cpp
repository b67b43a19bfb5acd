// The laws of a stream: blocks are rows, looking changes nothing, a plan of its own is a plan given; and the slow
// obvious version of what it says.
#include "expose/detector/watcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/detector/streams.hpp"
#include "tests/support/targets.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 3;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class WatcherOf : public EveryStream {};
EXPOSE_FOR_EVERY_STREAM(WatcherOf);

// Rows of which two are bad, one of them among those that the plan is made from.
Flow flow_with_bad_rows() {
  Flow flow = normal_flow(420, kD, 1);
  flow.values[17 * kD + 1] = kInfinity;
  flow.values[300 * kD + 2] = -kInfinity;
  return flow;
}

TEST_P(WatcherOf, ABlockIsItsRowsOneByOne) {
  const Flow flow = flow_with_bad_rows();
  Watcher single(options());
  const std::vector<Verdict> one_by_one = watch_one_by_one(single, flow, 0, flow.n());
  for (const std::size_t block : {2U, 97U, 1000U}) {
    Watcher watcher(options());
    std::vector<Verdict> verdicts;
    for (std::size_t begin = 0; begin < flow.n(); begin += block) {
      const std::vector<Verdict> some = watcher.watch(flow.rows(begin, std::min(begin + block, flow.n())));
      verdicts.insert(verdicts.end(), some.begin(), some.end());
    }
    EXPECT_EQ(verdicts, one_by_one) << "blocks of " << block;
    EXPECT_EQ(watcher, single) << "blocks of " << block;
  }
  EXPECT_EQ(single.rows(), 418U);
  EXPECT_EQ(single.rejected(), 2U);
}

TEST_P(WatcherOf, APlanOfItsOwnIsThatPlanGiven) {
  const Flow flow = normal_flow(400, kD, 2);
  Watcher given(plan(flow.rows(0, Watcher::kPlanRows), options()));
  Watcher own(options());
  const std::vector<Verdict> first = own.watch(flow.rows(0, Watcher::kPlanRows - 1));
  EXPECT_FALSE(own.planned());
  EXPECT_EQ(own.weight(), 255.0);
  EXPECT_EQ(first, std::vector<Verdict>(255, Verdict{.status = Status::learning}));
  EXPECT_EQ(own.watch(flow[255]), Verdict{.status = Status::learning});
  ASSERT_TRUE(own.planned());
  EXPECT_TRUE(own.plan().parts().first_rows_only);
  EXPECT_EQ(own.plan().parts().planned_on, 256);
  given.watch(flow.rows(0, 256));
  EXPECT_EQ(own, given);
  const std::vector<Verdict> next = own.watch(flow.rows(256, 400));
  EXPECT_EQ(next, given.watch(flow.rows(256, 400)));
  EXPECT_EQ(next[0].status, Status::ok);
}

TEST_P(WatcherOf, IsLearningUntilItRemembersTwentyRows) {
  const Flow flow = normal_flow(100, kD, 3);
  Watcher watcher(plan(flow.rows(), options()));
  const std::vector<Verdict> verdicts = watcher.watch(flow.rows(0, 40));
  EXPECT_EQ(verdicts[0], Verdict{.status = Status::learning});  // nothing to be like yet
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(verdicts[i].status, i < kFewestRows ? Status::learning : Status::ok);
    if (i >= kFewestRows) continue;
    EXPECT_EQ(verdicts[i].p_value, 1.0);
    EXPECT_FALSE(verdicts[i].anomalous);
  }
}

TEST_P(WatcherOf, LooksWithoutLearning) {
  const Flow flow = flow_with_bad_rows();
  Watcher watcher(options());
  EXPECT_EQ(watcher.judge(flow.rows(16, 18)),
            (std::vector<Verdict>{{.status = Status::learning}, {.status = Status::rejected}}));
  watcher.watch(flow.rows(0, 290));
  const Watcher before = watcher;
  const std::vector<Verdict> looked = watcher.judge(flow.rows(290, 302));
  EXPECT_EQ(watcher, before);
  EXPECT_EQ(looked[10], Verdict{.status = Status::rejected});
  for (std::size_t i = 290; i < 302; ++i) {
    Watcher copy = before;
    EXPECT_EQ(copy.watch(flow[i]), looked[i - 290]);
  }
}

TEST_P(WatcherOf, APeekIsWhatWatchSaysAndLeavesNoTrace) {
  const Flow flow = flow_with_bad_rows();
  Watcher plain(options());
  Watcher peeking(options());
  for (std::size_t i = 0; i < flow.n(); ++i) {
    const Verdict foreseen = peeking.peek(flow[i]);
    // Whatever comes between: another row, another threshold, the same row as floats.
    if (i % 5 == 1) peeking.peek(flow[(i + 7) % flow.n()]);
    if (i % 5 == 2) peeking.set_alpha(peeking.alpha());
    const std::vector<float> floats(flow[i].begin(), flow[i].end());
    const std::vector<double> rounded(floats.begin(), floats.end());
    const Verdict watched = i % 5 == 3 ? peeking.watch(std::span(floats)) : peeking.watch(flow[i]);
    EXPECT_EQ(watched, plain.watch(i % 5 == 3 ? std::span<const double>(rounded) : flow[i])) << "row " << i;
    if (i % 5 != 3) {
      EXPECT_EQ(foreseen, watched) << "row " << i;
    }
  }
  EXPECT_EQ(peeking, plain);
}

TEST_P(WatcherOf, WhatWasForeseenIsForgottenWithARow) {
  const bool forgets = !std::holds_alternative<Fading>(options().memory);
  const Flow flow = normal_flow(400, kD, 5);
  Watcher plain(options());
  plain.watch(flow.rows(0, 399));
  Watcher peeking = plain;
  peeking.peek(flow[399]);
  for (Watcher* const watcher : {&plain, &peeking}) {
    if (forgets) watcher->forget(flow.rows(350, 390));
  }
  EXPECT_EQ(peeking.watch(flow[399]), plain.watch(flow[399]));
  EXPECT_EQ(peeking, plain);
}

TEST_P(WatcherOf, FloatAndDoubleAreOne) {
  Flow flow = normal_flow(330, kD, 4);
  std::vector<float> floats;
  for (double& value : flow.values) value = floats.emplace_back(static_cast<float>(value));
  const Rows rows(floats, kD);
  Watcher from_double(options());
  Watcher from_float(options());
  EXPECT_EQ(from_double.watch(flow.rows(0, 300)), from_float.watch(Records(rows.slice(0, 300))));
  for (std::size_t i = 300; i < 330; ++i) EXPECT_EQ(from_double.watch(flow[i]), from_float.watch(rows[i]));
  EXPECT_EQ(from_double, from_float);
}

TEST_P(WatcherOf, HasTheSameBitsOnEveryTarget) {
  const Flow flow = normal_flow(340, kD, 5);
  Watcher best(options());
  const std::vector<Verdict> expected = best.watch(flow.rows());
  on_every_target([&](const std::string& target) {
    Watcher watcher(options());
    EXPECT_EQ(watcher.watch(flow.rows()), expected) << target;
    EXPECT_EQ(watcher, best) << target;
  });
}

TEST_P(WatcherOf, BadRowsLeaveNoTrace) {
  const Flow flow = normal_flow(300, kD, 6);
  Watcher clean(options());
  Watcher disturbed(options());
  const Flow bad{{1.0, -kInfinity, kNaN, 1.0, 0.0, kInfinity}, kD};
  for (std::size_t i = 0; i < flow.n(); ++i) {
    if (i % 50 == 0) {
      EXPECT_EQ(disturbed.watch(bad.rows()), std::vector(2, Verdict{.status = Status::rejected}));
    }
    ASSERT_EQ(clean.watch(flow[i]), disturbed.watch(flow[i]));
  }
  EXPECT_EQ(disturbed.rows(), 300U);
  EXPECT_EQ(disturbed.rejected(), 12U);
}

// The slow obvious version: every row against a model and a calibration made anew from the rows before it.
class Obvious {
 public:
  explicit Obvious(const Plan& plan) : plan_(plan), map_(plan.map()) {}

  double similarity(const Records& row) const {
    const std::vector<double> w = mean();
    const std::vector<float> phi = features(scaled(row));
    const double volume = inner(*map_, w, w);
    return volume > 0 ? inner(*map_, std::vector<double>(phi.begin(), phi.end()), w) / volume : 0.0;
  }
  double p_value(double similarity) const {
    const Fading* const fading = std::get_if<Fading>(&plan_.memory());
    StreamCalibration calibration(fading != nullptr ? fading->gamma : 0.0);
    for (std::size_t i = first(similarities_.size()); i < similarities_.size(); ++i) calibration.add(similarities_[i]);
    return calibration.p_value(similarity);
  }
  void learn(const Records& row, double similarity) {
    const std::vector<float> x = scaled(row);
    similarities_.push_back(similarity);
    const bool gated = plan_.gatekeeper() && !plan_.admits(plan_.gatekeeper()->similarity(features(x))[0]);
    if (!gated) rows_.insert(rows_.end(), x.begin(), x.end());
  }

 private:
  std::size_t first(std::size_t n) const {
    const Window* const window = std::get_if<Window>(&plan_.memory());
    return window == nullptr || n < window->length ? 0 : n - window->length;
  }
  std::vector<float> scaled(const Records& row) const {
    std::vector<float> x(plan_.d());
    plan_.scaler().apply(row, x);
    return x;
  }
  std::vector<float> features(const std::vector<float>& x) const {
    std::vector<float> phi(map_->size());
    map_->project(Rows(x, x.size()), phi);
    return phi;
  }
  std::vector<double> mean() const {
    const Rows rows(rows_, plan_.d());
    if (const Fading* const fading = std::get_if<Fading>(&plan_.memory())) {
      FadingMean mean(map_, *fading);
      mean.learn(rows);
      return mean.mean();
    }
    MeanMap mean(map_);
    mean.add(rows.slice(first(rows.n()), rows.n()));
    return mean.mean();
  }

  const Plan& plan_;
  SharedMap map_;
  std::vector<float> rows_;
  std::vector<double> similarities_;
};

TEST_P(WatcherOf, SaysWhatTheObviousVersionSays) {
  const Flow flow = normal_flow(150, kD, 7);
  Watcher watcher(plan(flow.rows(), options()));
  Obvious obvious(watcher.plan());
  for (std::size_t i = 0; i < flow.n(); ++i) {
    const Records row = flow.rows(i, i + 1);
    const Verdict verdict = watcher.watch(flow[i]);
    const double similarity = obvious.similarity(row);
    ASSERT_NEAR(verdict.similarity, similarity, 1e-9 * std::max(1.0, std::abs(similarity))) << "row " << i;
    if (verdict.status == Status::ok) {
      ASSERT_EQ(verdict.p_value, obvious.p_value(verdict.similarity)) << "row " << i;
      ASSERT_EQ(verdict.anomalous, verdict.p_value <= 0.01);
    }
    obvious.learn(row, verdict.similarity);
  }
}

TEST(Watcher, IsAsSimilarAsSimilaritySays) {
  const Flow flow = normal_flow(200, kD, 8);
  Watcher watcher(plan(flow.rows(), Options{.r = 100, .memory = Window{80}}));
  watcher.watch(flow.rows(0, 150));
  std::vector<float> scaled(flow.n() * kD);
  watcher.plan().scaler().apply(flow.rows(), scaled);
  const Rows rows(scaled, kD);
  WindowMean window(watcher.plan().map(), Window{80});
  window.learn(rows.slice(0, 150));
  const std::vector<double> expected = Similarity(window).relative(rows.slice(150, 200));
  const std::vector<Verdict> verdicts = watcher.judge(flow.rows(150, 200));
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(verdicts[i].similarity, expected[i], 1e-4 * (1 + expected[i]));
}

TEST(Watcher, RemembersByWeight) {
  const Flow flow = normal_flow(100, kD, 9);
  const auto weight_of = [&](const Options& options) {
    Watcher watcher(plan(flow.rows(), options));
    watcher.watch(flow.rows());
    return watcher.weight();
  };
  EXPECT_EQ(weight_of({}), 100.0);  // those outside the gate too
  EXPECT_EQ(weight_of({.memory = Window{30}}), 30.0);
  EXPECT_NEAR(weight_of({.memory = Fading{0.5}}), 3.0, 1e-9);  // (2 - gamma) / gamma
}

}  // namespace
}  // namespace expose

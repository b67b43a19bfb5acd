// What a stream forgets is gone as if it had never come; what it cannot forget, and cannot take, it says.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "expose/detector/watcher.hpp"
#include "tests/detector/streams.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> similarities(const std::vector<Verdict>& verdicts) {
  std::vector<double> similarities;
  for (const Verdict& verdict : verdicts) similarities.push_back(verdict.similarity);
  return similarities;
}

TEST(WatcherForgets, EverythingIsTheModelOfTheOthers) {
  const Flow flow = normal_flow(300, kD, 1);
  const Plan gated = plan(flow.rows(), Options{.r = 40});
  ASSERT_TRUE(gated.parts().gate);
  Watcher all(gated);
  all.watch(flow.rows());
  const Learned forgotten = all.forget(flow.rows(200, 300));
  EXPECT_GT(forgotten.turned_away, 0U);
  EXPECT_EQ(forgotten.learned + forgotten.turned_away, 100U);
  EXPECT_EQ(all.weight(), 200.0);
  EXPECT_EQ(all.rows(), 300U);
  Watcher others(gated);
  others.watch(flow.rows(0, 200));
  EXPECT_EQ(similarities(all.judge(flow.rows())), similarities(others.judge(flow.rows())));
}

TEST(WatcherForgets, AnEmptyModelIsLearningAgain) {
  const Flow flow = normal_flow(100, kD, 2);
  for (const Memory& memory : {Memory(Everything{}), Memory(Window{100})}) {
    Watcher watcher(plan(flow.rows(), Options{.r = 40, .memory = memory}));
    watcher.watch(flow.rows());
    watcher.forget(flow.rows());
    EXPECT_EQ(watcher.weight(), 0.0);
    EXPECT_EQ(watcher.watch(flow[0]), Verdict{.status = Status::learning});
  }
}

TEST(WatcherForgets, ARowLeavesTheWindowAndItsPlaceInTheCalibration) {
  const Flow flow = normal_flow(200, kD, 3);
  const Plan windowed = plan(flow.rows(), Options{.r = 40, .memory = Window{50}});
  Watcher watcher(windowed);
  const std::vector<Verdict> verdicts = watcher.watch(flow.rows(0, 100));  // 50 .. 99 are in the window
  const Flow some = pick(flow, {60, 99, 50});
  EXPECT_EQ(watcher.forget(some.rows()).learned, 3U);
  EXPECT_EQ(watcher.weight(), 47.0);
  StreamCalibration left;
  for (std::size_t i = 50; i < 99; ++i) {
    if (i != 60 && i != 50) left.add(verdicts[i].similarity);
  }
  for (const Verdict& verdict : watcher.judge(flow.rows(100, 150))) {
    EXPECT_EQ(verdict.p_value, left.p_value(verdict.similarity));
  }
  // Three come before another has to go; after 50 more none of this has left a trace.
  Watcher undisturbed(windowed);
  undisturbed.watch(flow.rows(0, 100));
  watcher.watch(flow.rows(100, 150));
  undisturbed.watch(flow.rows(100, 150));
  EXPECT_EQ(similarities(watcher.judge(flow.rows())), similarities(undisturbed.judge(flow.rows())));
}

TEST(WatcherForgets, RowsThatWaitForAPlan) {
  const Flow flow = normal_flow(300, kD, 4);
  Watcher watcher(Options{.r = 40});
  watcher.watch(flow.rows(0, 200));
  watcher.forget(flow.rows(50, 100));
  EXPECT_EQ(watcher.weight(), 150.0);
  EXPECT_EQ(complaint([&] { watcher.forget(flow.rows(99, 101)); }),
            "not_found: row 1 of 2 is not among the 150 rows that wait for a plan");
  Watcher others(Options{.r = 40});
  others.watch(flow.rows(0, 50));
  others.watch(flow.rows(100, 300));
  watcher.watch(flow.rows(200, 300));
  EXPECT_FALSE(watcher.planned());
  watcher.watch(flow.rows(0, 6));
  others.watch(flow.rows(0, 6));
  ASSERT_TRUE(watcher.planned());
  EXPECT_EQ(watcher.plan().fingerprint(), others.plan().fingerprint());
  EXPECT_EQ(watcher.judge(flow.rows()), others.judge(flow.rows()));
  EXPECT_EQ(watcher.rows(), 306U);
}

TEST(WatcherForgets, BadRowsWereNeverLearned) {
  const Flow flow = normal_flow(100, kD, 5);
  Watcher watcher(plan(flow.rows(), Options{.r = 40, .memory = Window{50}}));
  watcher.watch(flow.rows());
  const Watcher before = watcher;
  const Flow bad{{0.0, kInfinity, 0.0}, kD};
  const Learned forgotten = watcher.forget(bad.rows());
  EXPECT_EQ(forgotten.learned, 0U);
  EXPECT_EQ(forgotten.rejected, std::vector<std::size_t>{0});
  EXPECT_EQ(watcher, before);
}

class WatcherRefuses : public testing::Test {
 protected:
  const Flow flow_ = normal_flow(100, kD, 6);
};

TEST_F(WatcherRefuses, ToForgetWhatIsNotThere) {
  const Flow other = normal_flow(200, kD, 7);
  for (const Memory& memory : {Memory(Everything{}), Memory(Window{50})}) {
    Watcher watcher(plan(flow_.rows(), Options{.r = 40, .memory = memory, .trim = 0.0}));
    watcher.watch(flow_.rows());
    const Watcher before = watcher;
    EXPECT_EQ(complaint([&] { watcher.forget(other.rows()); }),
              memory == Memory(Everything{}) ? "invalid_argument: cannot forget weight 200: the mean has learned 100"
                                             : "not_found: row 1 of 200 is not among the 50 rows in the window");
    EXPECT_EQ(watcher, before);
  }
  Watcher gated(plan(flow_.rows(), Options{.r = 40}));
  const Flow far{std::vector<double>(kD, 1000.0), kD};
  EXPECT_EQ(complaint([&] { gated.forget(far.rows()); }),
            "not_found: the rows to forget hold 1 that the gate keeps out, only 0 of those have come");
}

TEST_F(WatcherRefuses, ToForgetWhatFades) {
  const char* const sentence =
      "invalid_argument: the memory fading:0.01 cannot forget rows: how much of a row is left is not known";
  Watcher waiting(Options{.memory = Fading{0.01}});
  waiting.watch(flow_.rows());
  EXPECT_EQ(complaint([&] { waiting.forget(flow_.rows(0, 1)); }), sentence);
  Watcher planned(plan(flow_.rows(), Options{.r = 40, .memory = Fading{0.01}}));
  EXPECT_EQ(complaint([&] { planned.forget(Records()); }), sentence);
}

TEST_F(WatcherRefuses, RowsOfAnotherWidth) {
  const Flow wide = normal_flow(2, 4, 8);
  Watcher watcher(plan(flow_.rows(), Options{.r = 40}));
  const char* const sentence = "shape_mismatch: rows have 4 columns, the plan takes 3";
  EXPECT_EQ(complaint([&] { watcher.watch(wide.rows()); }), sentence);
  EXPECT_EQ(complaint([&] { watcher.watch(wide[0]); }), sentence);
  EXPECT_EQ(complaint([&] { watcher.judge(wide.rows()); }), sentence);
  EXPECT_EQ(complaint([&] { watcher.forget(wide.rows()); }), sentence);
  EXPECT_EQ(watcher, Watcher(watcher.plan()));
  Watcher waiting;
  waiting.watch(flow_[0]);
  const Watcher before = waiting;
  EXPECT_EQ(complaint([&] { waiting.watch(wide.rows()); }), "shape_mismatch: rows have 4 columns, the first row had 3");
  EXPECT_EQ(waiting, before);
  EXPECT_TRUE(waiting.watch(Records()).empty());
}

TEST_F(WatcherRefuses, WhatAStreamCannotDo) {
  const char* const sentence =
      "invalid_argument: a stream flags each row by itself, by alpha; fdr, contamination and top need a batch of rows";
  EXPECT_EQ(complaint([] { Watcher(Options{.fdr = 0.1}); }), sentence);
  EXPECT_EQ(complaint([] { Watcher(Options{.contamination = 0.1}); }), sentence);
  EXPECT_EQ(complaint([] { Watcher(Options{.top = 3}); }), sentence);
  const Options gated{.r = 40, .memory = Window{50}, .trim = 0.25};
  const char* const no_gate =
      "invalid_argument: only the memory everything has a gate; with the memory window:50 trim must be 0, it is 0.25";
  EXPECT_EQ(complaint([&] { Watcher{gated}; }), no_gate);
  EXPECT_EQ(complaint([&] { Watcher(plan(flow_.rows(), gated)); }), no_gate);
}

TEST_F(WatcherRefuses, BadOptionsAtOnce) {
  EXPECT_NE(complaint([] { Watcher(Options{.r = 0}); }), "no complaint");
  EXPECT_NE(complaint([] { Watcher(Options{.memory = Fading{1.0}}); }), "no complaint");
  EXPECT_NE(complaint([] { Watcher(Options{.alpha = 0.0}); }), "no complaint");
  EXPECT_NE(complaint([&] { Watcher(plan(flow_.rows()), 1.0); }), "no complaint");
  EXPECT_EQ(complaint([] { Watcher(Options{.kernel = Laplacian{}, .map = MapKind::sorf}); }),
            "invalid_argument: there is no sorf map of the laplacian kernel, which is not rotation invariant; use "
            "fourier or nystrom");
  Watcher watcher;
  EXPECT_NE(complaint([&] { watcher.set_alpha(-1.0); }), "no complaint");
  EXPECT_EQ(watcher.alpha(), 0.01);
  EXPECT_EQ(complaint([&] { watcher.plan(); }),
            "not_found: there is no plan yet: it is made from the first 256 rows, 0 are here");
}

}  // namespace
}  // namespace expose

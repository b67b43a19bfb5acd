// Long work looks up (base/interrupt.hpp): it can be ended, and whoever is called then may use the same objects.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "expose/base/interrupt.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/watcher.hpp"
#include "tests/detector/streams.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 3;

// How often the work looks up.
template <class Work>
int looks_of(const Work& work) {
  int looks = 0;
  const Interrupt interrupt([&] { ++looks; });
  work();
  return looks;
}

template <class Work>
void end_at_look(int number, const Work& work) {
  int looks = 0;
  const Interrupt interrupt([&] {
    if (++looks == number) throw std::domain_error("enough");
  });
  EXPECT_THROW(work(), std::domain_error);
}

TEST(LookingUp, AWatcherDoesWhileItJudges) {
  const Flow flow = normal_flow(3000, kD, 1);
  Watcher watcher;
  watcher.watch(flow.rows());
  const Watcher before = watcher;
  EXPECT_GT(looks_of([&] { watcher.judge(flow.rows()); }), 10);
  end_at_look(5, [&] { watcher.judge(flow.rows()); });
  EXPECT_EQ(watcher, before);
}

TEST(LookingUp, ErrorBarsOfManyRowsDo) {
  const Flow flow = normal_flow(100000, 1, 1);
  const Detector detector = fit(flow.rows().slice(0, 500), {.r = 16, .threads = 1});
  detector.judge(flow.rows().slice(0, 1));
  const std::vector<ErrorBar> bars = detector.error_bars(flow.rows());
  const std::vector<ErrorBar> last = detector.error_bars(flow.rows().slice(99999, 100000));
  EXPECT_EQ(bars.back().total(), last[0].total());
  end_at_look(2, [&] { detector.error_bars(flow.rows()); });
}

TEST(LookingUp, OneMayJudgeWithTheDetectorThatIsMadeReady) {
  const Flow flow = normal_flow(1000, kD, 1);
  for (const std::size_t threads : {1U, 3U}) {
    const Detector detector = fit(flow.rows(), {.threads = threads});
    const std::vector<Verdict> expected = fit(flow.rows(), {.threads = threads}).judge(flow.rows());
    int looks = 0;
    const Interrupt interrupt([&] {
      if (++looks > 5) return;
      const Interrupt nobody([] {});
      EXPECT_EQ(detector.judge(flow.rows()), expected);
      detector.judge_group(flow.rows());
    });
    EXPECT_EQ(detector.judge(flow.rows()), expected);
    detector.judge_group(flow.rows());
    EXPECT_GT(looks, 0);
  }
}

TEST(Empty, HasLearnedNothingAndTakesTheSame) {
  const Flow flow = normal_flow(1000, kD, 1);
  Detector detector = fit(flow.rows().slice(0, 600), {.threads = 2});
  detector.set_threshold(Top{3});
  Detector rest = detector.empty();
  EXPECT_EQ(rest.weight(), 0);
  EXPECT_EQ(rest.threshold(), detector.threshold());
  rest.learn(flow.rows().slice(600, 1000));
  const Detector merged = detector + rest;
  detector.learn(flow.rows().slice(600, 1000));
  EXPECT_EQ(merged, detector);
}

}  // namespace
}  // namespace expose

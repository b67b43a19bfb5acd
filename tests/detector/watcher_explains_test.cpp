// A watcher explains by the model of now, whichever memory made it; and it knows how many rows it was given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "expose/detector/frame.hpp"
#include "expose/detector/watcher.hpp"
#include "tests/detector/streams.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 4;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The plan of a stream for a detector: no gate, and everything is remembered.
Plan for_detector(const Plan& plan) {
  Plan::Parts parts = plan.parts();
  parts.memory = Everything{};
  parts.gate.reset();
  return Plan(parts);
}

Flow odd_rows() {
  Flow odd = normal_flow(20, kD, 7);
  for (std::size_t i = 0; i < odd.n(); ++i) odd.values[i * kD + i % kD] += 5.0;
  return odd;
}

class WatcherExplainsFor : public EveryStream {};
EXPOSE_FOR_EVERY_STREAM(WatcherExplainsFor);

TEST_P(WatcherExplainsFor, SharesAreSharesAndNameThePlantedColumn) {
  Watcher watcher(options());
  watcher.watch(normal_flow(400, kD, 1).rows());
  const Flow odd = odd_rows();
  const Watcher before = watcher;
  const std::vector<double> shares = watcher.explain(odd.rows());
  EXPECT_EQ(watcher, before);
  ASSERT_EQ(shares.size(), odd.n() * kD);
  std::size_t right = 0;
  for (std::size_t i = 0; i < odd.n(); ++i) {
    const auto row = std::span(shares).subspan(i * kD, kD);
    EXPECT_GE(*std::ranges::min_element(row), 0.0);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    EXPECT_TRUE(sum == 0 || std::abs(sum - 1) < 1e-9) << sum;
    if (static_cast<std::size_t>(std::ranges::max_element(row) - row.begin()) == i % kD) ++right;
  }
  EXPECT_GE(right, 14U);
}

TEST_P(WatcherExplainsFor, OfNoPlanThereAreNoReasons) {
  Watcher watcher(options());
  EXPECT_EQ(watcher.explain(odd_rows().rows()), std::vector<double>(20 * kD, 0.0));
  EXPECT_EQ(watcher.explain(odd_rows().rows(), std::vector<std::uint32_t>{0, 1, 1, 0}), std::vector<double>(40, 0.0));
}

TEST(WatcherExplains, AWindowAsADetectorOfItsRows) {
  const Flow flow = normal_flow(300, kD, 2);
  for (const Missing missing : {Missing::integrate, Missing::reject}) {
    const Plan its_plan = plan(flow.rows(), {.r = 60, .memory = Window{80}, .missing = missing});
    Watcher watcher(its_plan);
    watcher.watch(flow.rows());
    Detector detector(for_detector(its_plan), 1);
    detector.learn(flow.rows(220, 300));
    const std::vector<double> shares = watcher.explain(odd_rows().rows()), wanted = detector.explain(odd_rows().rows());
    for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], wanted[i], 1e-6) << i;
  }
}

TEST(WatcherExplains, EverythingAsADetector) {
  const Flow flow = normal_flow(300, kD, 3);
  const Plan its_plan = plan(flow.rows(), {.r = 60});
  Watcher watcher(its_plan);
  watcher.watch(flow.rows());
  const Flow odd = odd_rows();
  const std::vector<std::uint32_t> groups = {2, 0, 0, 1};
  EXPECT_EQ(watcher.explain(odd.rows()), learned_by(its_plan, flow).explain(odd.rows()));
  EXPECT_EQ(watcher.explain(odd.rows(), groups), learned_by(its_plan, flow).explain(odd.rows(), groups));
}

// Weights in millionths of the fading ones, as whole numbers.
TEST(WatcherExplains, AFadingOneAsADetectorOfWeightedRows) {
  constexpr double kGamma = 0.05;
  const Flow flow = normal_flow(200, kD, 4);
  for (const MapKind kind : {MapKind::fourier, MapKind::nystrom}) {
    const Plan its_plan = plan(flow.rows(), {.map = kind, .r = 60, .memory = Fading{kGamma}});
    Watcher watcher(its_plan);
    watcher.watch(flow.rows());
    std::vector<double> weights(flow.n());
    double left = 1.0;
    for (std::size_t i = flow.n(); i-- > 0; left *= 1 - kGamma) {
      weights[i] = std::round(1e6 * left * (i == 0 ? 1.0 : kGamma));
    }
    Detector detector(for_detector(its_plan), 1);
    detector.learn(flow.rows(), weights);
    const std::vector<double> shares = watcher.explain(odd_rows().rows()), wanted = detector.explain(odd_rows().rows());
    for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], wanted[i], 1e-3) << name(kind) << i;
  }
}

TEST(WatcherExplains, WhatIsMissingAndWhatIsBadHasNoShare) {
  Watcher watcher(Options{.r = 60, .memory = Fading{0.02}});
  watcher.watch(normal_flow(300, 2, 5).rows());
  const Flow rows{{kNaN, 5.0, 5.0, kInfinity, kNaN, kNaN}, 2};
  EXPECT_EQ(watcher.explain(rows.rows()), (std::vector<double>{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(complaint([&] { watcher.explain(normal_flow(1, 3, 1).rows()); }),
            "shape_mismatch: rows have 3 columns, the plan takes 2");
  EXPECT_EQ(complaint([&] { watcher.explain(rows.rows(), std::vector<std::uint32_t>{0}); }),
            "shape_mismatch: there are groups of 1 columns, the plan takes 2");
}

// Whatever the rows are, and before and after there is a plan; across a file too.
TEST(WatcherCounts, EveryRowThatItWasGiven) {
  Flow flow = normal_flow(400, 2, 6);
  for (std::size_t i = 0; i < flow.n(); i += 10) flow.values[2 * i] = i % 20 == 0 ? kInfinity : kNaN;
  for (std::size_t i = 5; i < flow.n(); i += 50) flow.values[2 * i] = flow.values[2 * i + 1] = kNaN;
  for (const std::size_t n : {100U, 400U}) {
    Watcher watcher(Options{.r = 30, .memory = Window{50}});
    watcher.watch(flow.rows(0, n));
    EXPECT_EQ(watcher.planned(), n == 400);
    EXPECT_EQ(watcher.unknown(), n / 50);
    EXPECT_EQ(watcher.rejected(), n / 20);
    EXPECT_EQ(watcher.seen(), n);
    const std::vector<std::byte> bytes = to_bytes(watcher);
    EXPECT_EQ(unframe(bytes).version, 3U);
    const Watcher restored = watcher_from_bytes(bytes);
    EXPECT_EQ(restored, watcher);
    EXPECT_EQ(restored.unknown(), watcher.unknown());
    EXPECT_EQ(to_bytes(restored), bytes);
  }
}

// A row whose values all stand in a column that the plan drops.
TEST(WatcherCounts, RowsThatThePlanFindsUnknown) {
  Flow flow = normal_flow(300, 2, 8);
  for (std::size_t i = 0; i < flow.n(); ++i) flow.values[2 * i + 1] = 7.0;
  for (const std::size_t i : {3U, 100U, 280U}) flow.values[2 * i] = kNaN;
  Watcher watcher(Options{.r = 30});
  watcher.watch(flow.rows());
  EXPECT_EQ(watcher.unknown(), 3U);
  EXPECT_EQ(watcher.rows(), 297U);
  EXPECT_EQ(watcher.seen(), 300U);
}

TEST(WatcherCounts, WithoutUnknownRowsTheFileIsOfAnOlderVersion) {
  Watcher watcher(Options{.r = 30, .memory = Window{50}});
  watcher.watch(normal_flow(300, 2, 9).rows());
  const std::vector<std::byte> bytes = to_bytes(watcher);
  EXPECT_EQ(unframe(bytes).version, 2U);
}

}  // namespace
}  // namespace expose

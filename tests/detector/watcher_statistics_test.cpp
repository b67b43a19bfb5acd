// What the p-values of a stream are worth: uniform while nothing changes, small for what is new, and normal again at
// the pace of the memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "expose/detector/watcher.hpp"
#include "tests/detector/streams.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 3;

const std::vector<StreamCase> kMemories = {
    {"Everything", {}}, {"Window", {.r = 256, .memory = Window{1000}}}, {"Fading", {.r = 256, .memory = Fading{0.01}}}};

class WatcherStatistics : public EveryStream {};
INSTANTIATE_TEST_SUITE_P(Memories, WatcherStatistics, testing::ValuesIn(kMemories), case_name);

// The largest distance between the distribution of the p-values and the uniform one (Kolmogorov, Smirnov).
double distance_from_uniform(std::vector<double> p_values) {
  std::ranges::sort(p_values);
  const auto n = static_cast<double>(p_values.size());
  double distance = 0;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, p_values[i] - rank / n, (rank + 1) / n - p_values[i]});
  }
  return distance;
}

double flagged(const std::vector<Verdict>& verdicts, std::size_t begin, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) count += verdicts[i].anomalous ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(end - begin);
}

TEST_P(WatcherStatistics, PValuesAreUniformWhileNothingChanges) {
  const Flow flow = normal_flow(5000, kD, 1);
  Watcher watcher(options());
  const std::vector<Verdict> verdicts = watcher.watch(flow.rows());
  std::vector<double> p_values;
  for (std::size_t i = 1000; i < flow.n(); ++i) p_values.push_back(verdicts[i].p_value);
  EXPECT_LT(distance_from_uniform(p_values), 0.05);
  EXPECT_LT(flagged(verdicts, Watcher::kPlanRows, flow.n()), 0.02);
  EXPECT_GT(flagged(verdicts, Watcher::kPlanRows, flow.n()), 0.003);
}

TEST_P(WatcherStatistics, PlantedAnomaliesAreFlagged) {
  Flow flow = normal_flow(3000, kD, 2);
  for (std::size_t i = 500; i < flow.n(); i += 250) {
    for (std::size_t k = 0; k < kD; ++k) flow.values[i * kD + k] = 8.0;
  }
  Watcher watcher(options());
  const std::vector<Verdict> verdicts = watcher.watch(flow.rows());
  for (std::size_t i = 500; i < flow.n(); i += 250) EXPECT_TRUE(verdicts[i].anomalous) << "row " << i;
  EXPECT_LT(flagged(verdicts, Watcher::kPlanRows, flow.n()), 0.03);
}

// 3,000 rows here, then 3,000 there.
TEST_P(WatcherStatistics, AChangeIsFlaggedAtOnceAndBecomesNormal) {
  const Flow flow = normal_flow(3000, kD, 3) + normal_flow(3000, kD, 4, 6.0);
  Watcher watcher(options());
  const std::vector<Verdict> verdicts = watcher.watch(flow.rows());
  EXPECT_LT(flagged(verdicts, 2000, 3000), 0.02);
  EXPECT_TRUE(verdicts[3000].anomalous);
  if (std::holds_alternative<Everything>(options().memory)) return;  // its gate keeps the change out
  EXPECT_LT(flagged(verdicts, 5000, 6000), 0.02);
}

TEST(WatcherStatistics, TheMemorySaysHowFast) {
  const Flow flow = normal_flow(3000, kD, 5) + normal_flow(1000, kD, 6, 6.0);
  // The mean p-value of 100 rows soon after the change, and how similar the rows before it are in the end.
  const auto outcome = [&](const Memory& memory) {
    Watcher watcher(Options{.map = MapKind::fourier, .r = 256, .scale = Scale::zscore, .memory = memory, .trim = 0.0});
    const std::vector<Verdict> verdicts = watcher.watch(flow.rows());
    double p = 0, similarity = 0;
    for (std::size_t i = 3500; i < 3600; ++i) p += verdicts[i].p_value / 100;
    for (const Verdict& verdict : watcher.judge(flow.rows(2900, 3000))) similarity += verdict.similarity / 100;
    return std::pair(p, similarity);
  };
  const auto [everything_p, everything_similarity] = outcome(Everything{});
  EXPECT_LT(everything_p, 0.2);
  EXPECT_GT(everything_similarity, 0.5);
  for (const Memory& memory : {Memory(Window{500}), Memory(Fading{0.01})}) {
    const auto [p, similarity] = outcome(memory);
    EXPECT_GT(p, 0.4) << name(memory);
    EXPECT_LT(similarity, 0.05) << name(memory);  // what was normal is not any more
  }
}

}  // namespace
}  // namespace expose

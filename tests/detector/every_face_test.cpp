// Every face of a detector, for every map, on complete rows and (where the map integrates them out) on rows with gaps.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "expose/detector/detector.hpp"
#include "expose/drift/drift.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 4;

class EveryFace : public EveryMap {
 protected:
  static Options options() { return {.map = GetParam(), .r = 256, .threads = 1}; }
  static Table table(std::size_t n, std::uint64_t seed, bool gaps) {
    Table rows = normal_table(n, kD, seed);
    for (std::size_t i = 0; gaps && i < rows.values.size(); i += 9) {
      rows.values[i] = std::numeric_limits<float>::quiet_NaN();
    }
    return rows;
  }
  static std::vector<bool> ways() {
    return GetParam() == MapKind::isolation ? std::vector{false} : std::vector{false, true};
  }
};
EXPOSE_FOR_EVERY_MAP(EveryFace);

TEST_P(EveryFace, UnmergeTakesOutWhatMergePutIn) {
  for (const bool gaps : ways()) {
    const Detector a = fit(table(300, 1, gaps).rows(), options());
    Detector b(a.plan(), 1);
    b.learn(table(200, 2, gaps).rows());
    EXPECT_EQ((a + b) - b, a) << gaps;
  }
}

TEST_P(EveryFace, VouchingIsTakenBackToTheBit) {
  for (const bool gaps : ways()) {
    const Detector fitted = fit(table(300, 1, gaps).rows(), options());
    Detector detector = fitted;
    const Table row = table(3, 3, gaps);
    const std::vector<double> weights(3, 2.0);
    EXPECT_EQ(detector.vouch(row.rows(), weights), weights);
    EXPECT_EQ(detector.mean().weight(), fitted.mean().weight() + 6) << gaps;
    detector.withdraw(row.rows(), weights);
    EXPECT_EQ(detector, fitted) << gaps;
    EXPECT_EQ(complaint([&] { detector.withdraw(row.rows(), {}); }),
              "shape_mismatch: there are 3 rows to withdraw and 0 weights; they are what vouch returned");
  }
}

TEST_P(EveryFace, ErrorBarsAndReasonsDoNotDependOnTheBatch) {
  for (const bool gaps : ways()) {
    const Detector detector = fit(table(300, 1, gaps).rows(), options());
    const Table rows = table(20, 4, gaps);
    const std::vector<ErrorBar> bars = detector.error_bars(rows.rows());
    const std::vector<double> shares = detector.explain(rows.rows());
    for (std::size_t i = 0; i < rows.n(); ++i) {
      const Rows row = rows.rows().slice(i, i + 1);
      EXPECT_EQ(detector.error_bars(row)[0].total(), bars[i].total()) << i;
      const std::vector<double> own = detector.explain(row);
      EXPECT_TRUE(std::equal(own.begin(), own.end(), shares.begin() + static_cast<std::ptrdiff_t>(i * kD))) << i;
    }
  }
}

TEST_P(EveryFace, DriftIsSeenAndNormalGroupsAreNot) {
  for (const bool gaps : ways()) {
    const Detector a = fit(table(500, 1, gaps).rows(), options());
    Detector same(a.plan(), 1), moved(a.plan(), 1);
    same.learn(table(500, 2, gaps).rows());
    Table shifted = table(500, 3, gaps);
    for (std::size_t i = 1; i < shifted.values.size(); i += kD) shifted.values[i] += 1.5F;
    moved.learn(shifted.rows());
    EXPECT_GT(drift(a, same).p_value, 0.01) << gaps;
    const Drift seen = drift(a, moved);
    EXPECT_LT(seen.p_value, 1e-4) << gaps;
    EXPECT_GT(seen.features[1], 0.5) << gaps;
    EXPECT_GT(a.judge_group(table(30, 5, gaps).rows()).p_value, 0.005) << gaps;
  }
}

// In many columns too: the kernel of isolation says nothing about columns, so drift takes one that fits the rows.
TEST(Faces, DriftOfAnIsolationPlanIsSeenInManyColumns) {
  constexpr std::size_t kMany = 60;
  const Detector a = fit(normal_table(400, kMany, 1).rows(), {.map = MapKind::isolation, .threads = 1});
  Detector moved(a.plan(), 1);
  Table shifted = normal_table(400, kMany, 2);
  for (std::size_t i = 7; i < shifted.values.size(); i += kMany) shifted.values[i] += 4.0F;
  moved.learn(shifted.rows());
  const Drift seen = drift(a, moved);
  EXPECT_LT(seen.p_value, 1e-4);
  EXPECT_EQ(std::max_element(seen.features.begin(), seen.features.end()) - seen.features.begin(), 7);
}

TEST(Faces, NumbersThatAreNoGroupsAreRefused) {
  const Table rows = normal_table(100, 2, 1);
  const Detector detector = fit(rows.rows(), {.threads = 1});
  const std::vector<std::uint32_t> ids = {0, 4000000000U};
  EXPECT_EQ(complaint([&] { detector.explain(rows.rows(), ids); }),
            "invalid_argument: groups are numbered from 0 on; there are 2 columns, and one is in group 4000000000");
  EXPECT_EQ(complaint([&] { detector.judge_groups(rows.rows().slice(0, 2), ids); }),
            "invalid_argument: groups are numbered from 0 on; there are 2 rows, and one is in group 4000000000");
}

// Half of the rows are copies of one with a gap: the calibration sample must know it.
TEST(Faces, AFrequentRowWithAGapKeepsItsWeightInPValues) {
  Table rows = normal_table(6000, 2, 1);
  for (std::size_t i = 0; i < 3000; ++i) {
    rows.values[2 * i] = 3.0F;
    rows.values[2 * i + 1] = std::numeric_limits<float>::quiet_NaN();
  }
  const Detector detector = fit(rows.rows(), {.trim = 0.0, .threads = 1});
  EXPECT_EQ(detector.plan().parts().frequent.size(), 1U);
  EXPECT_GT(detector.judge(rows.rows().slice(0, 1))[0].p_value, 0.3);
}

}  // namespace
}  // namespace expose

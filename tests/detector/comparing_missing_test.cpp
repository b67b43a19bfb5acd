// What is compared and judged as one where values are missing: the stored rows of a model have gaps too.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expose/detector/detector.hpp"
#include "expose/drift/drift.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

// A tenth of the values is not there.
Table gappy(std::size_t n, std::uint64_t seed) {
  Table table = normal_table(n, 4, seed);
  for (std::size_t i = 0; i < table.values.size(); i += 10) {
    table.values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return table;
}

TEST(ComparingWithGaps, DriftIsSeenAmongFewRowsAndAmongMany) {
  for (const std::size_t n : {300U, 5000U}) {
    const Detector model = fit(gappy(n, 1).rows());
    Detector same(model.plan()), moved(model.plan());
    same.learn(gappy(n, 2).rows());
    Table shifted = gappy(n, 3);
    for (std::size_t i = 2; i < shifted.values.size(); i += 4) shifted.values[i] += 1.0F;
    moved.learn(shifted.rows());
    EXPECT_GT(drift(model, same).p_value, 0.01) << n;
    const Drift seen = drift(model, moved);
    EXPECT_LT(seen.p_value, 1e-6) << n;
    EXPECT_GT(seen.features[2], 0.5) << n;
  }
}

TEST(ComparingWithGaps, GroupsErrorBarsAndTrustTakeThem) {
  const Detector model = fit(gappy(600, 1).rows(), {.map = MapKind::fourier, .r = 512});
  const GroupVerdict group = model.judge_group(gappy(50, 2).rows());
  EXPECT_EQ(group.rows, 50U);
  EXPECT_GT(group.p_value, 0.01);
  for (const ErrorBar& bar : model.error_bars(gappy(50, 2).rows())) EXPECT_TRUE(std::isfinite(bar.total()));
  EXPECT_GT(model.trust().noise, 0.0);
  EXPECT_TRUE(fit(gappy(600, 1).rows()).trust().enough);
}

}  // namespace
}  // namespace expose

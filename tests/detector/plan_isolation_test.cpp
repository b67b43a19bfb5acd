// The plan of an isolation map: its landmarks are rows of the sample, drawn by the seed; it has no kernel to choose.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "expose/detector/plan.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 3;

Options options(std::size_t r, std::uint64_t seed = 0) { return {.map = MapKind::isolation, .r = r, .seed = seed}; }

const std::vector<float>& landmarks(const Plan& made) { return made.map()->recipe().landmarks; }

std::vector<float> row(const std::vector<float>& values, std::size_t i) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(i * kD);
  return {at, at + kD};
}

TEST(PlanOfIsolation, LandmarksAreScaledRows) {
  const Table table = normal_table(40, kD, 1);
  const Plan made = plan(table.rows(), options(960));
  ASSERT_EQ(landmarks(made).size(), 960 * kD);
  std::vector<float> scaled(table.values.size());
  made.scaler().apply(table.rows(), scaled);
  std::set<std::vector<float>> rows, drawn;
  for (std::size_t i = 0; i < table.n(); ++i) rows.insert(row(scaled, i));
  for (std::size_t j = 0; j < 960; ++j) drawn.insert(row(landmarks(made), j));
  EXPECT_EQ(drawn, rows);  // 960 draws of 40 miss a row once in 10^9 plans
}

TEST(PlanOfIsolation, MoreLandmarksKeepTheFirstAndSeedsDiffer) {
  const Table table = normal_table(200, kD, 2);
  const std::vector<float> few = landmarks(plan(table.rows(), options(45)));
  const std::vector<float> many = landmarks(plan(table.rows(), options(300)));
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(landmarks(plan(table.rows(), options(45, 1))), few);
}

// A kernel and a bandwidth that the user gave change nothing, not even the fingerprint.
TEST(PlanOfIsolation, HasNoKernelToChoose) {
  const Table table = normal_table(100, kD, 3);
  const Plan made = plan(table.rows(), options(60));
  Options with_kernel = options(60);
  with_kernel.kernel = Laplacian{};
  with_kernel.bandwidth = 7.0;
  EXPECT_EQ(plan(table.rows(), with_kernel).fingerprint(), made.fingerprint());
  EXPECT_EQ(made.summary(), "3 columns, scale robust, isolation map with r = 60, memory everything");
  EXPECT_EQ(made.description().find("kernel"), std::string::npos);
}

}  // namespace
}  // namespace expose

// What a plan decides from the rows: bandwidth, gate, landmarks and frequent rows, beside the slow obvious version.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expose/base/hash.hpp"
#include "expose/detector/plan.hpp"
#include "tests/detector/scaled.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

double naive_distance(std::span<const float> x, std::span<const float> z, bool l1) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(z[k]);
    sum += l1 ? std::abs(difference) : difference * difference;
  }
  return l1 ? sum : std::sqrt(sum);
}

double median_of_non_zero_distances(Rows rows, bool l1 = false) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    for (std::size_t j = 0; j < i; ++j) distances.push_back(naive_distance(rows[i], rows[j], l1));
  }
  std::erase(distances, 0.0);
  std::sort(distances.begin(), distances.end());
  return distances.at(distances.size() / 2);
}

TEST(Plan, TheBandwidthIsAShareOfTheMedianDistance) {
  const Table table = normal_table(400, 6, 1);
  for (const Scale scale : {Scale::robust, Scale::zscore, Scale::none}) {
    const Plan made = plan(table.rows(), {.scale = scale});
    const std::vector<float> values = scaled(made, table.rows());
    const Rows rows(values, made.d());
    const double median = median_of_non_zero_distances(rows);
    EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 1e-12 * median);
    const Plan l1 = plan(table.rows(), {.kernel = Laplacian{}, .scale = scale});
    EXPECT_EQ(name(l1.kernel()), "laplacian");
    EXPECT_NEAR(bandwidth(l1.kernel()), 0.25 * median_of_non_zero_distances(rows, true), 1e-12 * median);
  }
}

TEST(Plan, ADrawOfThousandRowsKnowsTheMedianDistanceOfAll) {
  const Table table = normal_table(3000, 6, 2);
  const Plan made = plan(table.rows());
  const std::vector<float> values = scaled(made, table.rows());
  const double median = median_of_non_zero_distances(Rows(values, made.d()));
  EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 0.01 * median);
}

TEST(Plan, EqualRowsAreNoDistance) {
  const Table table = normal_table(40, 3, 3);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 40; ++i) copies.insert(copies.end(), 10, i);
  const Plan made = plan(pick(table, copies).rows());
  const std::vector<float> values = scaled(made, table.rows());
  const double median = median_of_non_zero_distances(Rows(values, made.d()));
  EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 1e-12 * median);
}

// Of ten values with a tenth of the rows each, a look at the first thousand rows of the sample would see one.
TEST(Plan, AFewValuesThatMakeUpTheTableAllCount) {
  const Table table = normal_table(10, 3, 4);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 30000; ++i) copies.push_back(i % 10);
  const Plan made = plan(pick(table, copies).rows(), {.trim = 0.0});
  const std::vector<float> values = scaled(made, table.rows());
  const double median = median_of_non_zero_distances(Rows(values, made.d()));
  EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 1e-12 * median);
  EXPECT_EQ(made.map()->r(), 10U);
}

TEST(Plan, TheGateSeesEveryValueThatMakesUpTheTable) {
  const Table table = normal_table(10, 3, 4);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 30000; ++i) copies.push_back(i % 10);
  const Plan made = plan(pick(table, copies).rows());
  const std::vector<float> values = scaled(made, table.rows());
  const std::vector<double> eta = made.gatekeeper()->similarity(Rows(values, made.d()));
  const auto passed = std::ranges::count_if(eta, [&](double value) { return value >= made.parts().gate->threshold; });
  EXPECT_GE(passed, 8);
}

TEST(Plan, ABandwidthThatIsGivenIsTaken) {
  const Table table = normal_table(50, 3, 5);
  EXPECT_EQ(plan(table.rows(), {.bandwidth = 1.25}).kernel(), Kernel(Gaussian{1.25}));
  EXPECT_EQ(plan(table.rows(), {.kernel = Matern32{1.25}}).kernel(), Kernel(Matern32{1.25}));
}

TEST(Plan, NoTableLeadsToABandwidthOfZeroOrInfinity) {
  const float least = std::numeric_limits<float>::denorm_min();
  const double huge = 1e300;
  const std::vector<std::vector<double>> columns = {{5},
                                                    {5, 5, 5},
                                                    {0, least},
                                                    {0, 1e-300, 3e-300, 1e-305},
                                                    {huge, -huge, 0.5 * huge},
                                                    {1, 1 + 1e-15},
                                                    {0, 0, 0, 1e-40},
                                                    {1e300, 1, 2, 3}};
  for (const std::vector<double>& column : columns) {
    for (const Scale scale : {Scale::robust, Scale::zscore, Scale::none}) {
      for (const MapKind map : {MapKind::nystrom, MapKind::fourier}) {
        const Plan made = plan(Records(column, 1), {.map = map, .r = 20, .scale = scale});
        EXPECT_TRUE(std::isnormal(bandwidth(made.kernel())));
        EXPECT_GT(bandwidth(made.kernel()), 0);
        MeanMap mean(made.map());
        const std::vector<float> values = scaled(made, Records(column, 1));
        mean.add(Rows(values, made.d()));
        for (const double eta : Similarity(mean).of(Rows(values, made.d()))) {
          EXPECT_TRUE(eta >= -0.5 && eta <= 1.5) << eta << ", scale " << name(scale) << ", first " << column[0];
        }
      }
    }
  }
}

TEST(Plan, LandmarksAreRowsOfTheTableAndDiffer) {
  for (const std::size_t n : {40U, 256U, 3000U, 12000U}) {
    const Table table = normal_table(n, 3, 6);
    const Plan made = plan(table.rows());
    const std::vector<float> values = scaled(made, table.rows());
    const auto by_row = [](const std::vector<float>& numbers) {
      std::vector<std::vector<float>> rows;
      for (std::size_t i = 0; i < numbers.size(); i += 3) rows.emplace_back(&numbers[i], &numbers[i] + 3);
      std::sort(rows.begin(), rows.end());
      return rows;
    };
    const std::vector<std::vector<float>> landmarks = by_row(made.map()->recipe().landmarks);
    EXPECT_EQ(landmarks.size(), std::min<std::size_t>(n, 256));
    EXPECT_TRUE(std::ranges::includes(by_row(values), landmarks));
    EXPECT_EQ(std::ranges::adjacent_find(landmarks), landmarks.end());
  }
}

// Half of the rows are one value: it is a landmark, whatever its hash, and rows that differ take the places of copies.
TEST(Plan, AFrequentRowIsALandmarkOnce) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Table table = normal_table(20000, 2, seed);
    for (std::size_t i = 0; i < 10000; ++i) table.values[2 * i] = table.values[2 * i + 1] = 0.5F;
    const Plan made = plan(table.rows());
    const std::vector<float> half = {0.5F, 0.5F};
    const std::vector<float> wanted = scaled(made, Rows(half, 2));
    const Rows landmarks(made.map()->recipe().landmarks, 2);
    int found = 0;
    for (std::size_t j = 0; j < landmarks.n(); ++j) found += std::ranges::equal(landmarks[j], wanted) ? 1 : 0;
    EXPECT_EQ(found, 1);
    EXPECT_EQ(landmarks.n(), 256U);
  }
}

TEST(Plan, FrequentRowsAreKnownByTheirHashes) {
  Table table = normal_table(20000, 2, 9);
  EXPECT_TRUE(plan(table.rows()).parts().frequent.empty());
  for (std::size_t i = 0; i < 10000; ++i) table.values[2 * i] = table.values[2 * i + 1] = 0.5F;
  EXPECT_EQ(plan(table.rows()).parts().frequent.size(), 1U);
  EXPECT_EQ(plan(pick(table, shuffled(20000, 1)).rows()).parts().frequent, plan(table.rows()).parts().frequent);
  // A model may learn more rows than its plan was made on: a row that is often in a small table is one too.
  EXPECT_EQ(plan(table.rows().slice(9900, 10100)).parts().frequent, plan(table.rows()).parts().frequent);
}

}  // namespace
}  // namespace expose

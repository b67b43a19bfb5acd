// Theorem 1 and what follows from it, against kernel sums over the rows and against really leaving rows out.
#include "expose/score/similarity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "expose/base/pool.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

// A map that sees the kernel of these rows almost exactly: many frequencies, or every row a landmark.
SharedMap fine_map(MapKind kind, const Table& table) {
  Recipe recipe = recipe_of(kind, table.d, kind == MapKind::nystrom ? table.n() : 8192);
  if (kind == MapKind::nystrom) recipe.landmarks = table.values;
  return make_map(recipe);
}

class SimilarityOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(SimilarityOf);

// eta(z) = (1/n) sum_i k(z, x_i)
TEST_P(SimilarityOf, Theorem1IsTheMeanOfTheKernel) {
  const Table table = normal_table(60, kD, 1);
  if (GetParam() == MapKind::isolation) return;  // has no formula: isolation_test.cpp counts cells
  const SharedMap fine = fine_map(GetParam(), table);
  const std::vector<double> eta = Similarity(learned(fine, table.rows())).of(table.rows());
  const double tolerance = GetParam() == MapKind::nystrom ? 1e-4 : 0.03;
  for (std::size_t i = 0; i < table.n(); ++i) {
    const double expected = mean_kernel(fine->kernel(), table.rows().slice(i, i + 1), table.rows());
    EXPECT_NEAR(eta[i], expected, tolerance) << "row " << i;
  }
}

TEST_P(SimilarityOf, IsTheInnerProductWithTheMean) {
  const Table table = normal_table(60, kD, 2);
  const Table other = normal_table(20, kD, 3, 1.0);
  const MeanMap mean = learned(map(), table.rows());
  const std::vector<double> eta = Similarity(mean).of(other.rows());
  for (std::size_t i = 0; i < other.n(); ++i) {
    EXPECT_NEAR(eta[i], inner(mean, learned(map(), other.rows().slice(i, i + 1))), 1e-5) << "row " << i;
  }
}

TEST_P(SimilarityOf, ARowIsJudgedTheSameAloneInABatchAndOnThreads) {
  const Table table = normal_table(3000, kD, 4);
  const Similarity model(learned(map(), table.rows()));
  const std::vector<double> eta = model.of(table.rows());
  for (std::size_t i = 0; i < table.n(); i += 97) {
    EXPECT_EQ(model.of(table.rows().slice(i, i + 1))[0], eta[i]) << "row " << i;
  }
  for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
    Pool pool(threads);
    EXPECT_EQ(model.of(table.rows(), &pool), eta) << threads << " threads";
  }
}

TEST_P(SimilarityOf, RelativeIsDividedByTheVolume) {
  const Table table = normal_table(60, kD, 5);
  const MeanMap mean = learned(map(), table.rows());
  const Similarity model(mean);
  EXPECT_EQ(model.volume(), inner(mean, mean));
  const std::vector<double> eta = model.of(table.rows());
  const std::vector<double> relative = model.relative(table.rows());
  double sum = 0;
  for (std::size_t i = 0; i < table.n(); ++i) {
    EXPECT_EQ(relative[i], eta[i] / model.volume());
    sum += relative[i];
  }
  EXPECT_NEAR(sum / 60, 1.0, 1e-5);  // the volume is the mean similarity of the model's own rows
}

TEST_P(SimilarityOf, LeaveOneOutIsReallyLeavingItOut) {
  const Table table = normal_table(40, kD, 6);
  const SharedMap fine = fine_map(GetParam(), table);
  const MeanMap all = learned(fine, table.rows());
  const std::vector<double> without = Similarity(all).leave_one_out(table.rows());
  for (std::size_t i = 0; i < table.n(); ++i) {
    const Rows row = table.rows().slice(i, i + 1);
    EXPECT_NEAR(without[i], Similarity(all - learned(fine, row)).of(row)[0], 1e-5) << "row " << i;
  }
}

TEST_P(SimilarityOf, LeaveOneOutTakesOutTheWholeWeight) {
  const Table table = normal_table(20, kD, 7);
  const SharedMap fine = fine_map(GetParam(), table);
  std::vector<double> weights;
  for (std::size_t i = 0; i < table.n(); ++i) weights.push_back(0.25 * static_cast<double>(i % 9));
  MeanMap all(fine);
  all.add(table.rows(), weights);
  const std::vector<double> without = Similarity(all).leave_one_out(table.rows(), weights);
  for (std::size_t i = 0; i < table.n(); ++i) {
    const Rows row = table.rows().slice(i, i + 1);
    MeanMap rest = all;
    rest.subtract(row, std::span(weights).subspan(i, 1));
    EXPECT_NEAR(without[i], Similarity(rest).of(row)[0], 2e-5) << "row " << i;
  }
}

TEST_P(SimilarityOf, WithoutOthersThereIsNothingToBeLike) {
  const Table table = normal_table(3, kD, 8);
  const Rows row = table.rows().slice(0, 1);
  const Similarity one(learned(map(), row));
  EXPECT_EQ(one.leave_one_out(table.rows()), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(one.leave_one_out(row, std::vector<double>{1.0}), std::vector<double>{0});
  const Similarity empty{MeanMap(map())};
  EXPECT_EQ(empty.n(), 0.0);
  EXPECT_EQ(empty.volume(), 0.0);
  EXPECT_EQ(empty.of(table.rows()), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(empty.relative(table.rows()), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(empty.leave_one_out(table.rows()), (std::vector<double>{0, 0, 0}));
  const Similarity faded{FadingMean(map(), Fading{0.1})};
  EXPECT_EQ(faded.of(table.rows()), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(faded.leave_one_out(table.rows(), std::vector<double>{0, 0, 0}), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(complaint([&] { faded.leave_one_out(row, std::vector<double>{0.1}); }),
            "invalid_argument: row 1 has weight 0.1; in this model a row weighs 0 to 0");
  EXPECT_EQ(empty.of(table.rows().slice(0, 0)).size(), 0U);
}

TEST_P(SimilarityOf, AWindowIsJudgedByItsLastRows) {
  const Table table = normal_table(50, kD, 9);
  WindowMean window(map(), Window{20});
  window.learn(table.rows());
  const Similarity model(window);
  EXPECT_EQ(model.n(), 20.0);
  EXPECT_EQ(model.of(table.rows()), Similarity(learned(map(), table.rows().slice(30, 50))).of(table.rows()));
}

// eta(z) = sum_i gamma (1 - gamma)^age_i k(z, x_i)
TEST_P(SimilarityOf, AFadingModelIsTheWeightedKernelSum) {
  if (GetParam() == MapKind::isolation) return;  // has no formula: isolation_test.cpp counts cells
  const Table table = normal_table(30, kD, 10);
  const SharedMap fine = fine_map(GetParam(), table);
  const double gamma = 0.1;
  FadingMean fading(fine, Fading{gamma});
  fading.learn(table.rows());
  const Similarity model(fading);
  EXPECT_EQ(model.n(), fading.effective_n());
  const std::vector<double> eta = model.of(table.rows());
  std::vector<double> weights(30);
  for (std::size_t i = 0; i < 30; ++i) {
    weights[i] = (i == 0 ? 1.0 : gamma) * std::pow(1 - gamma, static_cast<double>(29 - i));
  }
  const std::vector<double> without = model.leave_one_out(table.rows(), weights);
  const double tolerance = GetParam() == MapKind::nystrom ? 1e-4 : 0.03;
  for (std::size_t z = 0; z < 30; ++z) {
    double all = 0;
    for (std::size_t i = 0; i < 30; ++i) {
      all += weights[i] * evaluate(fine->kernel(), table.rows()[z], table.rows()[i]);
    }
    EXPECT_NEAR(eta[z], all, tolerance) << "row " << z;
    EXPECT_NEAR(without[z], (all - weights[z]) / (1 - weights[z]), tolerance * 1.2) << "row " << z;
  }
}

TEST_P(SimilarityOf, LaterChangesOfTheModelAreNotSeen) {
  const Table table = normal_table(20, kD, 11);
  MeanMap mean = learned(map(), table.rows().slice(0, 10));
  const Similarity model(mean);
  const std::vector<double> before = model.of(table.rows());
  mean.add(table.rows().slice(10, 20));
  EXPECT_EQ(model.of(table.rows()), before);
  EXPECT_NE(Similarity(mean).of(table.rows()), before);
}

TEST(Similarity, RefusesBadInput) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8));
  const Table table = normal_table(3, 2, 12);
  const Similarity model(learned(map, table.rows()));
  EXPECT_EQ(complaint([&] { model.of(normal_table(3, 5, 13).rows()); }),
            "shape_mismatch: rows have 5 columns, the map takes 2");
  Table bad = table;
  bad.values[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(complaint([&] { model.of(bad.rows()); }), "not_finite: row 3, column 1 is nan");
  EXPECT_EQ(complaint([&] { Similarity{MeanMap(map)}.of(bad.rows()); }), "not_finite: row 3, column 1 is nan");
  EXPECT_EQ(complaint([&] {
              model.leave_one_out(table.rows(), std::vector<double>{1, 1});
            }),
            "shape_mismatch: there are 2 weights for 3 rows");
  EXPECT_EQ(complaint([&] {
              model.leave_one_out(table.rows(), std::vector<double>{1, 1, -1});
            }),
            "invalid_argument: row 3 has weight -1; in this model a row weighs 0 to 3");
  EXPECT_EQ(complaint([&] {
              model.leave_one_out(table.rows(), std::vector<double>{1, 4, 1});
            }),
            "invalid_argument: row 2 has weight 4; in this model a row weighs 0 to 3");
  EXPECT_EQ(complaint([&] {
              model.leave_one_out(table.rows(), std::vector<double>{std::nan(""), 1, 1});
            }),
            "invalid_argument: row 1 has weight nan; in this model a row weighs 0 to 3");
  EXPECT_EQ(
      complaint([&] { Similarity(FadingMean(map, Fading{0.1})).leave_one_out(table.rows()); }),
      "invalid_argument: the rows of a fading mean differ in weight: leaving one out takes its weight, gamma (1 - "
      "gamma)^age");
}

}  // namespace
}  // namespace expose

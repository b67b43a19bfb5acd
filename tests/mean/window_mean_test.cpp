// Proposition 2: however the rows come, the window is the mean of the last l.
#include "expose/mean/window_mean.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "expose/base/pool.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

std::vector<float> values_of(Rows rows) { return {rows.data(), rows.data() + rows.n() * rows.d()}; }

class WindowMeanOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(WindowMeanOf);

TEST_P(WindowMeanOf, Proposition2IsTheMeanOfTheLastRowsAtAnyTime) {
  const Table table = normal_table(50, kD, 1);
  for (const std::size_t length : {1U, 2U, 7U, 50U, 80U}) {
    WindowMean window(map(), Window{length});
    for (std::size_t t = 1; t <= table.n(); ++t) {
      window.learn(table.rows().slice(t - 1, t));
      const Rows last = table.rows().slice(t - std::min(t, length), t);
      ASSERT_EQ(window.mean_map(), learned(map(), last)) << "l = " << length << ", t = " << t;
      ASSERT_EQ(values_of(window.rows()), values_of(last)) << "l = " << length << ", t = " << t;
    }
  }
}

// Erratum: the paper's w_t for t < l lacks its phi(x_i). Below l rows the model is the running mean of Proposition 1.
TEST_P(WindowMeanOf, ErratumBeforeTheWindowIsFullItIsTheRunningMean) {
  const Table table = normal_table(9, kD, 2);
  WindowMean window(map(), Window{10});
  MeanMap running(map());
  for (std::size_t t = 1; t <= table.n(); ++t) {
    window.learn(table.rows().slice(t - 1, t));
    running.add(table.rows().slice(t - 1, t));
    EXPECT_EQ(window.mean_map(), running);
    EXPECT_EQ(window.mean(), running.mean());
    EXPECT_EQ(window.weight(), static_cast<double>(t));
  }
}

TEST_P(WindowMeanOf, BlocksOfAnySizeAreRowByRow) {
  const Table table = normal_table(300, kD, 3);
  Pool pool(3);
  for (const std::size_t length : {1U, 16U, 17U, 100U, 299U, 1000U}) {
    WindowMean single(map(), Window{length});
    for (std::size_t i = 0; i < table.n(); ++i) single.learn(table.rows().slice(i, i + 1));
    for (const std::size_t block : {2U, 17U, 101U, 4096U}) {
      WindowMean window(map(), Window{length});
      for (std::size_t begin = 0; begin < table.n(); begin += block) {
        window.learn(table.rows().slice(begin, std::min(table.n(), begin + block)), &pool);
      }
      EXPECT_EQ(window, single) << "l = " << length << ", blocks of " << block;
    }
  }
}

TEST_P(WindowMeanOf, LearnsFeaturesAsItLearnsTheirRow) {
  const Table table = normal_table(40, kD, 13);
  WindowMean from_rows(map(), Window{12});
  WindowMean from_features(map(), Window{12});
  std::vector<float> features(map()->size());
  for (std::size_t i = 0; i < table.n(); ++i) {
    const Rows row = table.rows().slice(i, i + 1);
    map()->project(row, features);
    from_rows.learn(row);
    from_features.learn_features(row, features);
    ASSERT_EQ(from_features, from_rows) << "row " << i;
  }
}

TEST_P(WindowMeanOf, ItsRowsBringItBack) {
  const Table table = normal_table(40, kD, 4);
  WindowMean window(map(), Window{12});
  window.learn(table.rows());
  WindowMean again(map(), Window{12});
  again.learn(window.rows());
  EXPECT_EQ(again, window);
}

TEST_P(WindowMeanOf, ForgottenRowsLeaveTheirPlaceFree) {
  const Table table = normal_table(10, kD, 5);
  WindowMean window(map(), Window{6});
  window.learn(table.rows().slice(0, 6));
  EXPECT_EQ(window.forget(pick(table, {4, 1}).rows()), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(window.mean_map(), learned(map(), pick(table, {0, 2, 3, 5}).rows()));
  EXPECT_EQ(values_of(window.rows()), pick(table, {0, 2, 3, 5}).values);
  window.learn(table.rows().slice(6, 8));  // nobody has to go
  EXPECT_EQ(values_of(window.rows()), pick(table, {0, 2, 3, 5, 6, 7}).values);
  window.learn(table.rows().slice(8, 10));
  EXPECT_EQ(values_of(window.rows()), pick(table, {3, 5, 6, 7, 8, 9}).values);
  EXPECT_EQ(window.mean_map(), learned(map(), window.rows()));
}

TEST_P(WindowMeanOf, OfEqualRowsTheOldestIsForgotten) {
  const Table table = normal_table(3, kD, 6);
  WindowMean window(map(), Window{5});
  window.learn(pick(table, {0, 1, 0, 2}).rows());
  window.forget(pick(table, {0}).rows());
  EXPECT_EQ(values_of(window.rows()), pick(table, {1, 0, 2}).values);
  window.forget(pick(table, {0, 1, 2}).rows());
  EXPECT_EQ(window, WindowMean(map(), Window{5}));
}

TEST(WindowMean, MemoryStaysWithinTwoWindows) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8));
  const Table table = normal_table(1000, 2, 12);
  for (const std::size_t block : {1U, 3U, 9U, 10U, 11U, 500U}) {
    WindowMean window(map, Window{10});
    for (std::size_t begin = 0; begin < table.n(); begin += block) {
      window.learn(table.rows().slice(begin, std::min(table.n(), begin + block)));
      ASSERT_LE(window.bytes(), 2 * 10 * 2 * sizeof(float)) << "blocks of " << block;
    }
  }
  WindowMean wide(map, Window{std::size_t{1} << 40});  // takes memory as rows come, not before
  wide.learn(table.rows());
  EXPECT_LE(wide.bytes(), 2 * 1000 * 2 * sizeof(float));
}

TEST(WindowMean, MayLearnItsOwnRows) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8));
  const Table table = normal_table(3, 2, 7);
  WindowMean window(map, Window{5});
  window.learn(table.rows());
  window.learn(window.rows());
  EXPECT_EQ(values_of(window.rows()), pick(table, {1, 2, 0, 1, 2}).values);
  window.forget(window.rows());
  EXPECT_EQ(window.weight(), 0.0);
}

TEST(WindowMean, ReadsRowsThatLieApart) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8));
  const Table wide = normal_table(4, 3, 8);
  const Rows rows(wide.values.data(), 4, 2, 3);
  WindowMean window(map, Window{3});
  window.learn(rows);
  EXPECT_EQ(window.mean_map(), learned(map, rows.slice(1, 4)));
  window.forget(rows.slice(2, 3));
  EXPECT_EQ(window.weight(), 2.0);
}

class WindowMeanRefuses : public testing::Test {
 protected:
  WindowMeanRefuses() { window_.learn(table_.rows()); }

  const SharedMap map_ = make_map(recipe_of(MapKind::fourier, 2, 8));
  const Table table_ = normal_table(4, 2, 9);
  WindowMean window_{map_, Window{3}};
};

TEST_F(WindowMeanRefuses, NoRowsAndNoMap) {
  EXPECT_EQ(complaint([&] { WindowMean(map_, Window{0}); }),
            "invalid_argument: the window has length 0; it must hold 1 to 1099511627776 rows");
  EXPECT_EQ(complaint([&] { WindowMean(nullptr, Window{3}); }),
            "invalid_argument: a mean map needs a feature map, not a null pointer");
}

TEST_F(WindowMeanRefuses, BadRows) {
  const WindowMean before = window_;
  const Table wide = normal_table(1, 3, 10);
  EXPECT_EQ(complaint([&] { window_.learn(wide.rows()); }), "shape_mismatch: rows have 3 columns, the map takes 2");
  EXPECT_EQ(complaint([&] { window_.forget(wide.rows()); }), "shape_mismatch: rows have 3 columns, the map takes 2");
  Table bad = normal_table(9, 2, 11);
  bad.values[1] = std::numeric_limits<float>::infinity();  // in a row that would not even stay
  EXPECT_EQ(complaint([&] { window_.learn(bad.rows()); }), "not_finite: row 1, column 2 is inf");
  EXPECT_EQ(window_, before);
}

TEST_F(WindowMeanRefuses, ToForgetWhatIsNotThere) {
  const WindowMean before = window_;
  EXPECT_EQ(complaint([&] {
              window_.forget(pick(table_, {1, 0}).rows());
            }),
            "not_found: row 2 of 2 is not among the 3 rows in the window");
  EXPECT_EQ(complaint([&] {
              window_.forget(pick(table_, {1, 1}).rows());
            }),
            "not_found: row 2 of 2 is not among the 3 rows in the window");
  EXPECT_EQ(window_, before);
}

}  // namespace
}  // namespace expose

// Bad input to a mean map: a sentence with the numbers in it, and the model as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "expose/base/pool.hpp"
#include "expose/mean/mean_map.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

class MeanMapRefuses : public testing::Test {
 protected:
  const SharedMap map_ = make_map(recipe_of(MapKind::fourier, 2, 16));
  const Table table_ = normal_table(3, 2, 20);
  MeanMap mean_ = learned(map_, table_.rows());
  const MeanMap before_ = mean_;
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
};

TEST_F(MeanMapRefuses, ANullMap) {
  EXPECT_EQ(complaint([] { MeanMap(nullptr); }),
            "invalid_argument: a mean map needs a feature map, not a null pointer");
}

TEST_F(MeanMapRefuses, RowsOfAnotherWidth) {
  const Table wide = normal_table(3, 4, 21);
  const std::string sentence = "shape_mismatch: rows have 4 columns, the map takes 2";
  EXPECT_EQ(complaint([&] { mean_.add(wide.rows()); }), sentence);
  EXPECT_EQ(complaint([&] { mean_.add(wide.rows(), std::vector<double>{1, 1, 1}); }), sentence);
  EXPECT_EQ(complaint([&] { mean_.subtract(wide.rows()); }), sentence);
  EXPECT_EQ(mean_, before_);
}

TEST_F(MeanMapRefuses, NotANumberInTheLastOfManyBlocks) {
  Table table = normal_table(10000, 2, 22);
  table.values[2 * 9998 + 1] = kNaN;
  Pool pool(2);
  const std::string sentence = "not_finite: row 9999, column 2 is nan";
  EXPECT_EQ(complaint([&] { mean_.add(table.rows(), &pool); }), sentence);
  EXPECT_EQ(complaint([&] { mean_.add(table.rows()); }), sentence);
  EXPECT_EQ(complaint([&] { mean_.add(table.rows(), std::vector<double>(10000, 0.0)); }), sentence);
  EXPECT_EQ(mean_, before_);
}

TEST_F(MeanMapRefuses, WeightsThatAreNone) {
  const auto complaint_of = [&](std::vector<double> weights) {
    return complaint([&] { mean_.add(table_.rows(), weights); });
  };
  EXPECT_EQ(complaint_of({1, 1}), "shape_mismatch: there are 2 weights for 3 rows");
  EXPECT_EQ(complaint_of({1, -0.5, 1}), "invalid_argument: row 2 has weight -0.5; a weight is finite and >= 0");
  EXPECT_EQ(complaint_of({1, 1, std::nan("")}), "invalid_argument: row 3 has weight nan; a weight is finite and >= 0");
  EXPECT_EQ(complaint_of({std::numeric_limits<double>::infinity(), 1, 1}),
            "invalid_argument: row 1 has weight inf; a weight is finite and >= 0");
  EXPECT_EQ(mean_, before_);
}

TEST_F(MeanMapRefuses, ToForgetMoreThanItLearned) {
  const Table more = normal_table(4, 2, 23);
  EXPECT_EQ(complaint([&] { mean_.subtract(more.rows()); }),
            "invalid_argument: cannot forget weight 4: the mean has learned 3");
  EXPECT_EQ(complaint([&] {
              mean_.subtract(table_.rows(), std::vector<double>{1.5, 1, 1});
            }),
            "invalid_argument: cannot forget weight 3.5: the mean has learned 3");
  EXPECT_EQ(mean_, before_);
}

TEST_F(MeanMapRefuses, ToForgetWhatItProvablyNeverLearned) {
  const Table others = normal_table(3, 2, 24, 5.0);
  const std::string sentence = complaint([&] { mean_.subtract(others.rows()); });
  EXPECT_TRUE(
      sentence.starts_with("not_found: some of this was never learned: without it feature 1 would have a sum of size "))
      << sentence;
  EXPECT_TRUE(sentence.ends_with(" at weight 0")) << sentence;
  EXPECT_EQ(mean_, before_);
}

TEST_F(MeanMapRefuses, StatesThatNoRowsLeadTo) {
  const auto complaint_of = [&](std::int64_t weight, std::int64_t units, std::int64_t sum, std::size_t size = 32) {
    AlignedVector<std::int64_t> sums(size, 0);
    sums[1] = sum;
    return complaint([&] { MeanMap::from_state(map_, {weight, units, sums}); });
  };
  EXPECT_EQ(complaint_of(2, 1, -8396800), "no complaint");
  EXPECT_EQ(complaint_of(2, 7, 0), "corrupt: a mean has 7 units a weight; it can have 1 or 1024");
  EXPECT_EQ(complaint_of(-1, 1, 0), "corrupt: a mean weighs -1 units; it can weigh 0 to 1099511627776");
  EXPECT_EQ(complaint_of((std::int64_t{1} << 40) + 1, 1, 0),
            "corrupt: a mean weighs 1099511627777 units; it can weigh 0 to 1099511627776");
  EXPECT_EQ(complaint_of(2, 1, 0, 31), "corrupt: a mean has 31 sums, its map has 32 features");
  EXPECT_EQ(complaint_of(2, 1, -8396801),
            "corrupt: sum 2 of a mean is -8396801; at weight 2 its size is at most 8396800");
}

}  // namespace
}  // namespace expose

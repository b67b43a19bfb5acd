#include "expose/encode/table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

const Layout kLayout = {{{Want::number, 1}, {Want::text, 0}, {Want::skip, 0}, {Want::number, 0}}, 2, 1};

TEST(Layout, RefusesPlacesThatAreNone) {
  EXPECT_EQ(complaint([] { require_valid(kLayout, 4); }), "no complaint");
  EXPECT_EQ(complaint([] { require_valid(kLayout, 3); }),
            "invalid_argument: the layout is for 4 columns, the table has 3");
  EXPECT_EQ(complaint([] {
              require_valid({{{Want::number, 2}}, 2, 0}, 1);
            }),
            "invalid_argument: a column wants to be number 2 of a row of 2, counted from 0");
  EXPECT_EQ(complaint([] {
              require_valid({{{Want::text, 0}, {Want::text, 0}}, 0, 1}, 2);
            }),
            "invalid_argument: two columns want to be text 0 of a row");
}

// Many rows, so that it has to grow, and again with the memory that it has.
TEST(TableBlock, KeepsItsRows) {
  TableBlock block;
  for (const std::size_t rows : {1000, 300}) {
    block.begin(kLayout, 5 * rows);
    block.first_line = 2;
    for (std::size_t i = 0; i < rows; ++i) {
      double* const row = block.add_row(3 * i);
      EXPECT_EQ(block.text(i, 0), "");
      row[0] = static_cast<double>(i);
      row[1] = -row[0];
      block.set_text(i, 0, std::to_string(i));
    }
    ASSERT_EQ(block.rows(), rows);
    EXPECT_TRUE(block.bad().empty());
    for (std::size_t i = 0; i < rows; ++i) {
      EXPECT_EQ(block.records().at(i, 1), -static_cast<double>(i));
      EXPECT_EQ(block.text(i, 0), std::to_string(i));
      EXPECT_EQ(block.line(i), 2 + 3 * i);
    }
    EXPECT_EQ(block.records().n(), rows);
    EXPECT_EQ(block.records().d(), 2U);
    block.mark_bad(7, "for the next round");
  }
}

TEST(TableBlock, GivesBackWhatItDoesNotUse) {
  TableBlock block;
  block.begin(kLayout, 100000, 5000);
  for (std::size_t i = 0; i < 300; ++i) {
    std::fill_n(block.add_row(i), 2, static_cast<double>(i));
    if (i % 2 == 0) block.set_text(i, 0, std::to_string(i));
  }
  block.mark_bad(7, "a reason");
  EXPECT_GT(block.bytes(), 100000U);
  block.shrink();
  EXPECT_LT(block.bytes(), 300 * (2 * sizeof(double) + sizeof(std::string_view) + 4 + 3) + 1000);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(block.text(i, 0), i % 2 == 0 ? std::to_string(i) : "");
    EXPECT_EQ(block.line(i), 0U);
    if (i == 7) continue;
    EXPECT_EQ(block.records().at(i, 1), static_cast<double>(i));
  }
  ASSERT_EQ(block.bad().size(), 1U);
  block.begin(kLayout, 10);
  block.add_row(0);
  block.set_text(0, 0, "0123456789");
  EXPECT_EQ(block.text(0, 0), "0123456789") << "used again";
}

TEST(TableBlock, BadRowsAreInOrderWithTheirFirstReason) {
  TableBlock block;
  block.begin(kLayout, 0);
  for (std::size_t i = 0; i < 5; ++i) std::fill_n(block.add_row(i), 2, 1.0);
  block.mark_bad(3, "three");
  block.mark_bad(1, "one");
  block.mark_bad(3, "again");
  EXPECT_EQ(block.bad(), (std::vector<TableBlock::Bad>{{1, "one"}, {3, "three"}}));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(block.is_bad(i), i == 1 || i == 3);
    EXPECT_EQ(std::isinf(block.numbers(i)[1]), block.is_bad(i));
  }
}

TEST(TableBlock, HoldsNoMoreTextThanItHasRoomFor) {
  TableBlock block;
  block.begin(kLayout, 3);
  block.add_row(0);
  EXPECT_EQ(complaint([&] { block.set_text(0, 0, "abcd"); }), "overflow: a block has room for 3 bytes of text, 4 come");
}

}  // namespace
}  // namespace expose

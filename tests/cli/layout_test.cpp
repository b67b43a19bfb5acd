#include "cli/layout.hpp"

#include <gtest/gtest.h>

namespace expose::cli {
namespace {

TEST(Layout, WidthCountsCharactersAndNoColours) {
  EXPECT_EQ(width_of(""), 0U);
  EXPECT_EQ(width_of("abc"), 3U);
  EXPECT_EQ(width_of("größe"), 5U);
  EXPECT_EQ(width_of("\u2588\u258f"), 2U);
  EXPECT_EQ(width_of("\x1b[31mred\x1b[0m"), 3U);
  EXPECT_EQ(width_of("\x1b[31"), 0U);  // cut in the middle of a colour
}

TEST(Layout, PadsOnEitherSideAndNeverCuts) {
  EXPECT_EQ(padded("ab", 4), "ab  ");
  EXPECT_EQ(right("ab", 4), "  ab");
  EXPECT_EQ(padded("abcdef", 4), "abcdef");
  EXPECT_EQ(right("größe", 6), " größe");
}

TEST(Layout, CutsBetweenCharacters) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 4), "abc\u2026");
  EXPECT_EQ(cut("abcdef", 1), "\u2026");
  EXPECT_EQ(cut("äöüß", 3), "äö\u2026");
  EXPECT_EQ(cut("äöüß", 2), "ä\u2026");
  EXPECT_EQ(width_of(cut("äöüßäöüß", 5)), 5U);
}

TEST(Layout, WrapsBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 20, 2), "one two three");
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one averyveryverylongword two", 8, 0), "one\naveryveryverylongword\ntwo");
  EXPECT_EQ(wrapped("", 8, 2), "");
}

TEST(Layout, TablesAreAsWideAsTheirCells) {
  const TextTable table{{{"row", true}, {"name"}}, {{"1", "a"}, {"1000", "a name that is long"}}};
  const std::vector<std::string> lines = table.lines(80);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], " row  name");
  EXPECT_EQ(lines[1], "   1  a");
  EXPECT_EQ(lines[2], "1000  a name that is long");
  EXPECT_EQ(table.lines(16)[2], "1000  a name th\u2026");
}

TEST(Layout, BarsGrowInEighths) {
  EXPECT_EQ(bar(0.0, 10), "");
  EXPECT_EQ(bar(1.0, 2), "\u2588\u2588");
  EXPECT_EQ(bar(0.5, 1), "\u258c");
  EXPECT_EQ(bar(1.0 / 16, 2), "\u258f");
  EXPECT_EQ(bar(7.0, 1), "\u2588");
  EXPECT_EQ(bar(-1.0, 1), "");
}

}  // namespace
}  // namespace expose::cli

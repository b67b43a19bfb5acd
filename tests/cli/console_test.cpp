#include "cli/console.hpp"

#include <gtest/gtest.h>

namespace expose::cli {
namespace {

TEST(Numbers, HaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
}

TEST(Numbers, AreCounted) {
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(2, "anomaly", "anomalies"), "2 anomalies");
}

TEST(Numbers, InBrief) {
  EXPECT_EQ(in_brief(0.0123456), "0.0123");
  EXPECT_EQ(in_brief(1.2345e-5), "1.23e-05");
  EXPECT_EQ(in_brief(1234.4), "1,234");
  EXPECT_EQ(in_brief(-1234.4), "-1,234");
  EXPECT_EQ(in_brief(0.0), "0");
  EXPECT_EQ(in_brief(1e20), "1e+20");
}

TEST(Numbers, WithDigitsAndAsShares) {
  EXPECT_EQ(fixed(0.99346, 4), "0.9935");
  EXPECT_EQ(fixed(-0.5, 1), "-0.5");
  EXPECT_EQ(fixed(1e300, 2), "1e+300");  // longer than a person reads
  EXPECT_EQ(percent(0.826), "83 %");
  EXPECT_EQ(percent(1.0), "100 %");
}

TEST(Numbers, AsTime) {
  EXPECT_EQ(duration(12), "12 s");
  EXPECT_EQ(duration(180), "3 min");
  EXPECT_EQ(duration(7300), "2 h");
}

TEST(Console, PaintsOnlyWhereThereAreColours) {
  EXPECT_EQ(Console({.colours = true}).red("x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(Console({.colours = true}).red(""), "");
  EXPECT_EQ(Console({.colours = false}).red("x"), "x");
  Console plain({.colours = true});
  plain.set_plain();
  EXPECT_EQ(plain.bold("x"), "x");
}

}  // namespace
}  // namespace expose::cli

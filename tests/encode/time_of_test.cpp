#include "expose/encode/time_of.hpp"

#include <gtest/gtest.h>

namespace expose {
namespace {

// 15 November 2026 is a Sunday.
TEST(ReadTime, ReadsTheWaysPeopleWriteATime) {
  const WallClock sunday = {(17 * 3600 + 50 * 60 + 14) / 86400.0, (6 + (17 * 3600 + 50 * 60 + 14) / 86400.0) / 7};
  for (const char* text :
       {"2026-11-15T17:50:14", "2026-11-15 17:50:14", "2026-11-15T17:50:14Z", "2026-11-15 17:50:14.000",
        "2026-11-15T17:50:14+01:00", "2026-11-15T17:50:14-0530", "2026-11-15 17:50:14 +01", "2026/11/15 17:50:14",
        "20261115T175014Z", "20261115T175014", "15.11.2026 17:50:14", " 2026-11-15T17:50:14Z ", "1794765014",
        "1794765014000", "1794765014000000", "1794765014.0"}) {
    const auto clock = read_time(text);
    ASSERT_TRUE(clock) << text;
    EXPECT_EQ(*clock, sunday) << text;
  }
}

TEST(ReadTime, ADateAloneIsMidnight) {
  for (const char* text :
       {"2026-11-16", "16.11.2026", "20261116", "2026/11/16", "2026-11-16 00:00", "2026-11-16T00:00"}) {
    const auto clock = read_time(text);
    ASSERT_TRUE(clock) << text;
    EXPECT_EQ(*clock, WallClock{}) << text << " is a Monday";
  }
}

TEST(ReadTime, FractionsAndLeapSecondsStayInTheDay) {
  EXPECT_DOUBLE_EQ(read_time("2026-11-16T00:00:00.5")->day, 0.5 / 86400);
  EXPECT_LT(read_time("2026-11-16T23:59:60")->day, 1.0);
  EXPECT_LT(read_time("2026-11-16T24:00:00")->day, 1.0);
  EXPECT_LT(read_time("-0.0000000000001")->day, 1.0);
}

TEST(ReadTime, TimesBefore1970CountToo) {
  EXPECT_EQ(read_time("-3600")->day, 23 / 24.0);
  EXPECT_EQ(read_time("1969-12-31 23:00"), read_time("-3600"));
}

TEST(ReadTime, RefusesWhatIsNone) {
  for (const char* text :
       {"", "abc", "2026-13-01", "2026-02-30", "2026-11-15T25:00", "2026-11-15T17:60", "2026-11-15T",
        "2026-11-15 17:50:14 x", "2026-11-15x", "17:50", "1e30", "2026-11-15T17:50:1", "2026-11-15 17:50+1"}) {
    EXPECT_FALSE(read_time(text)) << text;
  }
}

TEST(ReadTime, SecondsSince1970OnTheSameClock) {
  EXPECT_EQ(read_seconds("1970-01-01"), 0.0);
  EXPECT_EQ(read_seconds("1970-01-02T00:00:01.5+05:00"), 86401.5);
  EXPECT_EQ(read_seconds("1763228400"), 1763228400.0);
  EXPECT_EQ(read_seconds("1763228400000"), 1763228400.0);
  EXPECT_EQ(read_seconds("15.11.2025 17:40:00"), 1763228400.0);
  EXPECT_FALSE(read_seconds("soon"));
}

}  // namespace
}  // namespace expose

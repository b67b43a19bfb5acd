#include "expose/encode/field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "expose/base/random.hpp"
#include "expose/base/text.hpp"

namespace expose {
namespace {

TEST(ReadNumber, TellsNumbersFromMissingOnesAndTexts) {
  double value = 7;
  for (const char* text : {"", "  ", "NA", "na", "NaN", "nan", "-nan", "null", "NULL", "?", " NA\t"}) {
    EXPECT_EQ(read_number(text, value), Field::missing) << text;
    EXPECT_TRUE(std::isnan(value)) << text;
    EXPECT_TRUE(is_missing(text)) << text;
  }
  value = 7;
  for (const char* text :
       {"abc", "1,5", "1.5x", "--1", "+-1", "-", "+", ".", "e5", "0x10", "1e", "1 2", "nan(1)", "N/A", "??"}) {
    EXPECT_EQ(read_number(text, value), Field::other) << text;
    EXPECT_FALSE(is_missing(text)) << text;
  }
  for (const char* text : {"inf", "-Infinity", "+INF", "1e400", "-1e400", "123456789e999999999999999999"}) {
    EXPECT_EQ(read_number(text, value), Field::infinite) << text;
  }
  EXPECT_EQ(value, 7) << "what is no number leaves the value";
}

TEST(ReadNumber, TooSmallIsZero) {
  for (const char* text : {"1e-400", "-1e-400", "0.00000001e-320", "1000000000e-99999999999999999999"}) {
    double value = 7;
    EXPECT_EQ(read_number(text, value), Field::number) << text;
    EXPECT_EQ(value, 0) << text;
  }
}

// Against the C library, in every shape a number comes in.
TEST(ReadNumber, IsTheNearestDouble) {
  Random random(1, 0);
  for (int i = 0; i < 20000; ++i) {
    const double scale = std::pow(10.0, static_cast<double>(random.below(40)) - 20);
    std::string text = expose::text(random.normal() * scale);
    if (i % 3 == 0) text = std::to_string(random.normal() * 1e6);
    if (i % 5 == 0) text += "e" + std::to_string(static_cast<int>(random.below(600)) - 300);
    if (text.find('e') != text.rfind('e')) continue;
    double value = 0;
    const Field field = read_number(" " + text + " ", value);
    const double expected = std::strtod(text.c_str(), nullptr);
    EXPECT_EQ(field, std::isinf(expected) ? Field::infinite : Field::number) << text;
    if (field == Field::number) {
      EXPECT_EQ(value, expected) << text;
    }
  }
}

TEST(ReadNumber, TakesAPlus) {
  double value = 0;
  EXPECT_EQ(read_number("+1.5", value), Field::number);
  EXPECT_EQ(value, 1.5);
}

TEST(Utf8, WhatIsNoneIsMarked) {
  EXPECT_EQ(as_utf8("gr\xc3\xb6\xc3\x9f"
                    "e \xe2\x82\xac \xf0\x9f\x98\x80"),
            "gr\xc3\xb6\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x98\x80");
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(as_utf8("gr\xf6\xdf"
                    "e"),
            "gr" + mark + mark + "e")
      << "Latin-1";
  EXPECT_EQ(as_utf8("\xc0\x80"), mark + mark) << "too long";
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), mark + mark + mark) << "half of a pair";
  EXPECT_EQ(as_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark) << "beyond Unicode";
  EXPECT_EQ(as_utf8("a\xe2\x82"), "a" + mark + mark) << "cut";
}

TEST(InQuotes, ShowsWhatCannotBePrinted) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(in_quotes(std::string("a\0b\x7f", 4)), "'a\\x00b\\x7f'");
  EXPECT_EQ(in_quotes(std::string(50, 'x')), "'" + std::string(40, 'x') + "..'");
}

}  // namespace
}  // namespace expose

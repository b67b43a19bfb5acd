// Text and numbers for the page, as a reader sees them.
#include "cli/report/html.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "cli/report/axis.hpp"

namespace expose::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Html, EscapesWhatMeansSomething) {
  EXPECT_EQ(escaped("<script>alert('a' & \"b\")</script>"),
            "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;");
  EXPECT_EQ(escaped("größe 数 😀\tx\n"), "größe 数 😀\tx\n");
}

TEST(Html, ReplacesWhatIsNoText) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x01\x7F", 5)), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(escaped("\xC3(\xFF"), "\uFFFD(\uFFFD");          // a byte that needs another, and one that is none
  EXPECT_EQ(escaped("\xC0\xAF"), "\uFFFD\uFFFD");            // "/" written too long
  EXPECT_EQ(escaped("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // half of a surrogate pair
  EXPECT_EQ(escaped("\xF0\x9F\x98"), "\uFFFD\uFFFD\uFFFD");  // cut
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), std::string("\uFFFD\uFFFD\uFFFD\uFFFD"));  // beyond Unicode
  EXPECT_EQ(escaped("abc\u202Efdp.exe"), "abc\uFFFDfdp.exe");                       // would be read from right to left
}

TEST(Html, CutsBetweenCharacters) {
  EXPECT_EQ(cut("größe", 5), "größe");
  EXPECT_EQ(cut("größer", 4), "<span title=\"größer\">größ…</span>");
  EXPECT_EQ(cut("a<\"bcd", 3), "<span title=\"a&lt;&quot;bcd\">a&lt;&quot;…</span>");
  EXPECT_EQ(shortened("<<<<", 4), "&lt;&lt;…");  // 8 bytes
  EXPECT_LT(cut(std::string(1 << 20, '"'), 10).size(), 300U);
}

TEST(Html, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "row", "rows"), "1 row");
  EXPECT_EQ(counted(2000, "row", "rows"), "2,000 rows");
  EXPECT_EQ(number_text(0.012345), "0.0123");
  EXPECT_EQ(number_text(-1234.6), "-1,235");
  EXPECT_EQ(number_text(12.0), "12");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(1.25e-7), "1.25×10⁻⁷");
  EXPECT_EQ(number_text(1e-9), "10⁻⁹");
  EXPECT_EQ(number_text(3e12), "3×10¹²");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(kNaN), "–");
  EXPECT_EQ(number_text(kInfinity), "–");
  EXPECT_EQ(p_text(0.000312), "0.00031");
  EXPECT_EQ(p_text(0.0), "&lt;10⁻³⁰⁰");
  EXPECT_EQ(p_equals(0.04), "p = 0.04");
  EXPECT_EQ(p_equals(0.0), "p &lt; 10⁻³⁰⁰");
  EXPECT_EQ(percent_text(0.625), "62\u00A0%");
  EXPECT_EQ(percent_text(0.0041), "0.4\u00A0%");
  EXPECT_EQ(percent_text(0.0001), "&lt;0.1\u00A0%");
  EXPECT_EQ(percent_text(0.0), "0\u00A0%");
  EXPECT_EQ(place_text(12.345), "12.3");
  EXPECT_EQ(place_text(-0.01), "0");
  EXPECT_EQ(place_text(kNaN), "0");
  EXPECT_EQ(place_text(1e300), "1000000");
}

TEST(Html, RoundsLongFractionsInText) {
  EXPECT_EQ(with_short_numbers("gaussian, bandwidth 1.5022697712763728"), "gaussian, bandwidth 1.50227");
  EXPECT_EQ(with_short_numbers("39197"), "39197");
  EXPECT_EQ(with_short_numbers("0.25"), "0.25");
  EXPECT_EQ(with_short_numbers("192.168.100.200"), "192.168.100.200");
  EXPECT_EQ(with_short_numbers("e85ab71177e2f319"), "e85ab71177e2f319");
  EXPECT_EQ(with_short_numbers("12345678901234567890"), "12345678901234567890");
  EXPECT_EQ(with_short_numbers(""), "");
}

TEST(Axis, HoldsValuesAtItsEnds) {
  const Axis axis{0, 10, 100, 200};
  EXPECT_EQ(axis.at(5), 150);
  EXPECT_EQ(axis.at(-1), 100);
  EXPECT_EQ(axis.at(1e300), 200);
  EXPECT_EQ(axis.at(kNaN), 100);
}

std::string texts(const std::vector<Mark>& marks) {
  std::string all;
  for (const Mark& mark : marks) all += (all.empty() ? "" : "|") + mark.text;
  return all;
}

TEST(Axis, MarksRoundValues) {
  EXPECT_EQ(texts(round_marks(0, 172, 4)), "0|50|100|150");
  EXPECT_EQ(texts(round_marks(-0.31, 0.29, 6)), "-0.3|-0.2|-0.1|0|0.1|0.2");
  EXPECT_EQ(texts(round_marks(1, 1, 5)), "");
  EXPECT_EQ(texts(power_marks(-3.2, 0.4, 7)), "0.001|0.01|0.1|1");
  EXPECT_EQ(texts(power_marks(-20, 0, 4)), "10⁻²⁰|10⁻¹⁵|10⁻¹⁰|10⁻⁵|1");
}

TEST(Axis, MarksFullTimes) {
  const double day = 86400, start = 16252 * day;  // 2014-07-01
  EXPECT_EQ(texts(time_marks(start, start + 214 * day, 5)), "2014-07|2014-09|2014-11|2015-01");
  EXPECT_EQ(texts(time_marks(start + 100, start + 2 * day, 5)), "07-01 12:00|07-02 00:00|07-02 12:00|07-03 00:00");
  EXPECT_EQ(texts(time_marks(start, start + 1200, 5)), "00:00|00:05|00:10|00:15|00:20");
  EXPECT_EQ(texts(time_marks(start, start + 4, 5)), "00:00:00|00:00:01|00:00:02|00:00:03|00:00:04");
  EXPECT_EQ(texts(time_marks(-day, 39 * 365.25 * day, 5)), "1970|1980|1990|2000");
  EXPECT_EQ(texts(time_marks(start, start, 5)), "");
  EXPECT_EQ(texts(time_marks(-1e300, 1e300, 5)), "");
  EXPECT_EQ(time_text(start), "2014-07-01");
  EXPECT_EQ(time_text(start + 3661), "2014-07-01 01:01:01");
  EXPECT_EQ(time_text(-1), "1969-12-31 23:59:59");
  EXPECT_EQ(time_text(1e300), "–");
  EXPECT_EQ(time_text(kNaN), "–");
}

}  // namespace
}  // namespace expose::cli

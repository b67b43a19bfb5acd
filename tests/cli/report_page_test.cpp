// The page: all that is in the data is there once, whatever the data is.
#include "cli/report/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cli/report/charts.hpp"
#include "expose/base/random.hpp"
#include "tests/cli/page_check.hpp"

namespace expose::cli {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::string kHostile = "\"><script>alert(1)</script><img src=http://x.example/ onerror='a()'>&lt;\x01\xFF";

Verdict verdict(double similarity, double p_value, bool anomalous) {
  return {similarity, p_value, anomalous, Status::ok};
}

// n rows, of which the first `flagged` are unlike the others.
ReportData made(std::size_t n, std::size_t flagged) {
  Random random(1, 0);
  ReportData data{.version = "1.2.3", .command = "expose report data.csv -o report.html", .files = {"data.csv"}};
  ReportPicture picture{.variance = {0.31, 0.12}};
  for (std::size_t i = 0; i < n; ++i) {
    const bool far = i < flagged;
    const double u = random.uniform();
    data.verdicts.push_back(verdict(far ? 1e-6 * (1 + u) : 0.05 + 0.3 * u, far ? 1e-5 * u : 0.02 + 0.98 * u, far));
    picture.points.push_back({i + 1, {random.normal(), random.normal()}, data.verdicts.back()});
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 5); ++i) {
    ReportRow row{.row = i + 1, .id = "id-" + std::to_string(i), .label = "yes", .verdict = data.verdicts[i]};
    row.reasons = {{"amount", "1234.5", 0.7}, {"country", "DE", 0.3}};
    data.top.push_back(row);
  }
  data.picture = picture;
  data.plan = "columns       2 columns\nkernel        gaussian, bandwidth 1.5022697712763728\n";
  data.columns = {{"amount", "number", ""}, {"country", "category", "3 levels"}};
  return data;
}

ReportTime every_minute(std::size_t n) {
  ReportTime time{.column = "when"};
  for (std::size_t i = 0; i < n; ++i) time.seconds.push_back(1.4e9 + 60 * static_cast<double>(i));
  return time;
}

TEST(ReportPage, HasEverySectionOnceAndInOrder) {
  ReportData data = made(300, 4);
  data.id_column = "customer";
  data.label_column = "fraud";
  data.time = every_minute(300);
  data.drift = ReportDrift{150, 150, 0.21, 0.0003, {{"amount", "", 0.8}, {"country", "", 0.2}}};
  data.bad_rows = 2;
  data.bad = {"data.csv, line 7 (row 6): column 'amount': 'abc' is no number", "data.csv, line 9 (row 8): ragged"};
  data.notes = {"Much of the table looks anomalous."};
  data.column_notes = {"column 'x' is ignored: every value is another"};
  const std::string page = report_page(data);
  expect_good_page(page);
  std::size_t last = 0;
  for (const std::string id :
       {"similarities", "rows", "picture", "time", "drift", "bad", "plan", "columns", "command"}) {
    EXPECT_EQ(count_of(page, "<section id=\"" + id + "\">"), 1U) << id;
    EXPECT_EQ(count_of(page, "href=\"#" + id + "\""), 1U) << id;
    EXPECT_GT(page.find("<section id=\"" + id + "\">"), last) << id;
    last = page.find("<section id=\"" + id + "\">");
  }
  EXPECT_TRUE(has(page, "<h1>data.csv</h1>"));
  EXPECT_TRUE(has(page,
                  "<b>4 of 300 rows</b> are flagged as unlike the rest: their p-value is 0.01 or less. If all rows "
                  "were normal, about 3 would be."));
  EXPECT_TRUE(has(page, "<p class=\"warning\">Much of the table looks anomalous.</p>"));
  EXPECT_TRUE(has(page, "The last 150 rows and the first 150 are not of one kind (mmd 0.21, p = 0.0003)."));
  EXPECT_TRUE(has(page, "&#39;abc&#39; is no number"));
  EXPECT_TRUE(has(page, "bandwidth 1.50227<"));
  EXPECT_TRUE(has(page, "<pre>expose report data.csv -o report.html</pre>"));
  EXPECT_TRUE(has(page, "EXPoSE 1.2.3"));
}

TEST(ReportPage, DrawsEachRowAndReasonOnce) {
  ReportData data = made(300, 4);
  data.time = every_minute(300);
  const std::string page = report_page(data);
  const std::string picture = between(page, "<section id=\"picture\">", "</section>");
  EXPECT_EQ(count_of(picture, "<circle"), 300U);
  EXPECT_EQ(count_of(picture, " ring\""), 4U);
  EXPECT_EQ(count_of(picture, "<circle id=\"p"), 5U);
  const std::string rows = between(page, "<section id=\"rows\">", "</section>");
  EXPECT_EQ(count_of(rows, "<tr id=\"r"), 5U);
  EXPECT_EQ(count_of(rows, "class=\"fill\""), 10U);
  EXPECT_EQ(count_of(rows, "style=\"width:70%\""), 5U);
  EXPECT_EQ(count_of(rows, "title=\"flagged\""), 4U);
  EXPECT_TRUE(has(rows, "amount = 1234.5"));
  const std::string time = between(page, "<section id=\"time\">", "</section>");
  EXPECT_EQ(count_of(time, "<circle"), 4U);
  EXPECT_EQ(count_of(between(time, "class=\"stems\"", "/>"), "M"), 300U);
  EXPECT_TRUE(has(time, "One line a row"));
}

// The bars of the distribution hold all rows, and the threshold stands between the two kinds.
TEST(ReportPage, TheThresholdPartsTheSimilarities) {
  const ReportData data = made(1000, 30);
  const std::string chart = similarity_chart(data.verdicts);
  std::size_t rows = 0, flagged = 0;
  for (std::size_t at = chart.find("<title>similarity "); at != std::string::npos;
       at = chart.find("<title>similarity ", at + 1)) {
    const std::size_t counts = chart.find(": ", at) + 2;
    const std::size_t here = std::stoul(chart.substr(counts));
    const std::size_t flagged_here = std::stoul(chart.substr(chart.find(", ", counts) + 2));
    EXPECT_TRUE(flagged_here == 0 || flagged_here == here);
    rows += here;
    flagged += flagged_here;
  }
  EXPECT_EQ(rows, 1000U);
  EXPECT_EQ(flagged, 30U);
  const double threshold = similarity_between(data.verdicts).value();
  for (const Verdict& one : data.verdicts) EXPECT_EQ(one.similarity < threshold, one.anomalous);
  EXPECT_EQ(count_of(chart, "class=\"limit\""), 1U);
}

TEST(ReportPage, HostileTextStaysText) {
  ReportData data = made(20, 2);
  data.version = data.command = data.id_column = data.label_column = data.plan = kHostile;
  data.files = {kHostile, kHostile};
  data.notes = data.bad = data.column_notes = {kHostile};
  data.bad_rows = 1;
  data.time = every_minute(20);
  data.time->column = kHostile;
  data.drift = ReportDrift{10, 10, 0.5, 0.001, {{kHostile, kHostile, 0.5}}};
  data.columns = {{kHostile, kHostile, kHostile}};
  for (ReportRow& row : data.top) {
    row.id = row.label = kHostile;
    row.reasons = {{kHostile, kHostile, 0.5}};
  }
  const std::string page = report_page(data);
  expect_good_page(page);
  EXPECT_FALSE(has(page, "<script"));
  EXPECT_FALSE(has(page, "<img"));
  EXPECT_FALSE(has(page, "\x01"));
  EXPECT_FALSE(has(page, "\xFF"));
}

TEST(ReportPage, LongTextIsCut) {
  ReportData data = made(4000, 100);
  data.time = every_minute(4000);
  const std::string longest(100000, '"');
  data.version = "1";
  data.command = data.plan = longest;
  data.files.assign(100, longest);
  data.id_column = data.label_column = "id";
  data.notes = std::vector<std::string>(1000, std::string(1000, '"'));
  data.columns.assign(500, {std::string(1000, '"'), "number", std::string(1000, '"')});
  data.column_notes = std::vector<std::string>(1000, std::string(1000, '"'));
  data.top.clear();
  for (std::size_t i = 0; i < 400; ++i) {
    ReportRow row{.row = i + 1, .id = longest, .label = longest, .verdict = data.verdicts[i]};
    row.reasons.assign(500, {std::string(1000, '"'), std::string(1000, '"'), 0.002});
    data.top.push_back(row);
  }
  const std::string page = report_page(data);
  expect_good_page(page);
  EXPECT_EQ(count_of(page, "<tr id=\"r"), kMostTopRows);
  EXPECT_EQ(count_of(page, "class=\"fill\""), kMostTopRows * kMostReasons);
  EXPECT_TRUE(has(page, "470 more columns"));
  EXPECT_TRUE(has(page, " and 96 others</h1>"));
}

TEST(ReportPage, AMillionRowsMakeASmallPage) {
  ReportData data = made(1000000, 20000);
  data.time = every_minute(1000000);
  const std::string page = report_page(data);
  expect_good_page(page);
  EXPECT_EQ(count_of(between(page, "<section id=\"picture\">", "</section>"), "<circle"), kMostPoints);
  EXPECT_LE(count_of(between(page, "<section id=\"time\">", "</section>"), "<circle"), 500U);
  EXPECT_TRUE(has(page, "shown are 3,000 of 1,000,000 rows"));
  EXPECT_TRUE(has(page, "<b>20,000 of 1,000,000 rows</b>"));
  EXPECT_TRUE(has(page, "Each line is the lowest p-value of about"));
}

TEST(ReportPage, NothingFlagged) {
  const std::string page = report_page(made(300, 0));
  expect_good_page(page);
  EXPECT_TRUE(has(page, "None of 300 rows is flagged: no p-value is 0.01 or less."));
  EXPECT_TRUE(has(page, "The rows least like the rest"));
  EXPECT_FALSE(has(page, "class=\"limit\""));
  EXPECT_FALSE(has(page, "class=\"bar flag\""));
}

TEST(ReportPage, EverythingFlagged) {
  const std::string page = report_page(made(30, 30));
  expect_good_page(page);
  EXPECT_FALSE(has(page, "class=\"bar\""));
  EXPECT_EQ(count_of(page, " ring\""), 30U);
}

TEST(ReportPage, OneRowAndNoRows) {
  const std::string one = report_page(made(1, 0));
  expect_good_page(one);
  EXPECT_TRUE(has(one, "The one row is not flagged"));
  EXPECT_EQ(count_of(between(one, "<section id=\"picture\">", "</section>"), "<circle"), 1U);
  const std::string none = report_page(made(0, 0));
  expect_good_page(none);
  EXPECT_TRUE(has(none, "There are no rows."));
  EXPECT_FALSE(has(none, "<svg"));
  expect_good_page(report_page(ReportData()));
}

TEST(ReportPage, OddNumbersAreDrawnSomewhere) {
  for (const double similarity : {0.25, 0.0, -1e-9, 1e-300, 1.0}) {
    ReportData data = made(50, 0);
    for (Verdict& one : data.verdicts) one.similarity = similarity;
    for (ReportPoint& point : data.picture->points) point.verdict.similarity = similarity, point.at = {0, 0};
    data.time = every_minute(50);
    data.time->seconds.assign(50, 0.0);
    expect_good_page(report_page(data));
  }
  ReportData data = made(50, 3);
  data.verdicts[0].similarity = data.verdicts[1].similarity = 0.0;
  data.verdicts[2].p_value = 0.0;
  data.verdicts[3] = {kNaN, kNaN, false, Status::ok};
  data.verdicts[4] = {0.0, 1.0, false, Status::rejected};
  data.verdicts[5] = {0.0, 1.0, false, Status::unknown};
  data.verdicts[6] = {0.0, 1.0, false, Status::learning};
  data.picture->points[7].at = {kNaN, 0};
  data.picture->points[8].at = {1e308, -1e308};
  data.picture->variance = {kNaN, 0};
  data.top[0].reasons[0].share = kNaN;
  data.top[1].reasons[0].share = 7;
  data.time = every_minute(50);
  data.time->seconds[9] = kNaN;
  data.time->seconds[10] = -1e300;
  data.drift = ReportDrift{0, 0, kNaN, kNaN, {{"a", "", kNaN}}};
  const std::string page = report_page(data);
  expect_good_page(page);
  EXPECT_TRUE(has(page, "Not judged: 1 row with a bad value, 1 row without any value, 1 row while there were too few"));
}

TEST(ReportPage, SaysHowRowsWereFlagged) {
  ReportData data = made(200, 1);
  EXPECT_TRUE(
      has(report_page(data), "<b>1 of 200 rows</b> is flagged as unlike the rest: its p-value is 0.01 or less."));
  data.threshold = Fdr{0.05};
  EXPECT_TRUE(has(report_page(data), ": so few that at most 5\u00A0% of them should be false alarms."));
  data.threshold = Contamination{0.005};
  EXPECT_TRUE(has(report_page(data), ": the 0.5\u00A0% least like the rest."));
  data.threshold = Top{1};
  EXPECT_TRUE(has(report_page(data), ": the least like the rest."));
}

TEST(ReportPage, ShowsColumnsOnlyWhereSomethingMoved) {
  ReportData data = made(100, 1);
  data.drift = ReportDrift{50, 50, 0.01, 0.4, {{"amount", "", 1.0}}};
  const std::string page = report_page(data);
  expect_good_page(page);
  EXPECT_TRUE(has(page, "look like rows of one kind"));
  EXPECT_TRUE(has(between(page, "<section id=\"drift\">", "</section>"), "<details>"));
}

TEST(ReportPage, IsTheSameEachTime) { EXPECT_EQ(report_page(made(500, 5)), report_page(made(500, 5))); }

TEST(RowsToDraw, KeepsTheFlaggedOnes) {
  const ReportData data = made(10000, 700);
  const std::vector<std::size_t> rows = rows_to_draw(data.verdicts, 2000);
  EXPECT_EQ(rows.size(), 2000U);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
  for (std::size_t i = 0; i < 700; ++i) EXPECT_EQ(rows[i], i);
  EXPECT_EQ(rows_to_draw(data.verdicts, 100).size(), 100U);
  EXPECT_EQ(rows_to_draw(std::span(data.verdicts).first(800), 2000).size(), 800U);
  EXPECT_EQ(rows_to_draw(std::span(data.verdicts).first(700), 600).size(), 600U);
}

}  // namespace
}  // namespace expose::cli

#include "cli/report/sections.hpp"

#include <algorithm>

#include "cli/report/charts.hpp"
#include "cli/report/html.hpp"
#include "cli/report/page.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kMostMoved = 10;
constexpr std::size_t kShortTable = 30;  // columns that are listed at once; the others unfold
// How low a p-value must be for a sentence to say that something moved, or may have.
constexpr double kMoved = 0.01;
constexpr double kMayHaveMoved = 0.05;

std::string paragraph(const std::string& text) { return "<p class=\"soft\">" + text + "</p>"; }

std::string share_bar(const ReportShare& share) {
  const double part = std::clamp(share.share, 0.0, 1.0);  // NaN stays NaN, and place_text makes it 0
  return "<div class=\"share\"><span class=\"what\">" + cut(share.column, 32) +
         (share.value.empty() ? "" : " = " + cut(with_short_numbers(share.value), 24)) +
         "</span><span class=\"track\"><span class=\"fill\" style=\"width:" + place_text(100 * part) +
         "%\"></span></span><span class=\"part\">" + percent_text(part) + "</span></div>";
}

std::string cell(const std::string& style, const std::string& name, const std::string& html) {
  return "<td class=\"" + style + "\"" + (name.empty() ? "" : " data-name=\"" + name + "\"") + ">" + html + "</td>";
}

// data-name: what stands before the value on a small screen, where there is no row of headings.
std::string row_of(const ReportData& data, const ReportRow& row, bool in_picture) {
  const std::string number = std::to_string(row.row);
  std::string reasons;
  for (std::size_t i = 0; i < std::min(kMostReasons, row.reasons.size()); ++i) reasons += share_bar(row.reasons[i]);
  const std::string where =
      in_picture ? "<a href=\"#p" + number + "\">" + with_commas(row.row) + "</a>" : with_commas(row.row);
  return "<tr id=\"r" + number + "\">" + cell("mark", "", row.verdict.anomalous ? "<i title=\"flagged\"></i>" : "") +
         cell("number", "row", where) +
         (data.id_column.empty() ? "" : cell("text", shortened(data.id_column, 24), cut(row.id, 32))) +
         cell("number", "similarity", similarity_text(row.verdict.similarity)) +
         cell("number", "p", p_text(row.verdict.p_value)) +
         (data.label_column.empty() ? "" : cell("text", shortened(data.label_column, 24), cut(row.label, 24))) +
         cell("why", "", reasons.empty() ? "<span class=\"soft\">no column stands out</span>" : reasons) + "</tr>\n";
}

std::string columns_table(const std::vector<ReportColumn>& columns, std::size_t begin, std::size_t end) {
  const bool noted = std::ranges::any_of(columns, [](const ReportColumn& column) { return !column.note.empty(); });
  std::string html = "<table><thead><tr><th>column</th><th>role</th>" + std::string(noted ? "<th>note</th>" : "") +
                     "</tr></thead><tbody>\n";
  for (std::size_t i = begin; i < end; ++i) {
    html += "<tr><td>" + cut(columns[i].name, 40) + "</td><td>" + shortened(columns[i].role, 40) + "</td>" +
            (noted ? "<td class=\"soft\">" + shortened(columns[i].note, 120) + "</td>" : "") + "</tr>\n";
  }
  return html + "</tbody></table>";
}

std::string list(const std::vector<std::string>& sentences, std::size_t most) {
  if (sentences.empty()) return "";
  std::string html = "<ul>";
  for (std::size_t i = 0; i < std::min(most, sentences.size()); ++i) html += "<li>" + cut(sentences[i], 300) + "</li>";
  return html + "</ul>";
}

std::string drift_sentence(const ReportDrift& drift) {
  const std::string both =
      "The last " + counted(drift.last_rows, "row", "rows") + " and the first " + with_commas(drift.first_rows);
  const std::string numbers = " (mmd " + number_text(drift.mmd, 2) + ", " + p_equals(drift.p_value) + ").";
  if (drift.p_value <= kMoved) return both + " are not of one kind" + numbers;
  if (drift.p_value <= kMayHaveMoved) return both + " may not be of one kind" + numbers;
  return both + " look like rows of one kind" + numbers;
}

}  // namespace

std::size_t rows_shown(const ReportData& data) { return std::min(kMostTopRows, data.top.size()); }

std::string similarity_section(const ReportData& data) {
  const std::string chart = similarity_chart(data.verdicts);
  if (chart.empty()) return "";
  return "<h2>Similarities</h2>" +
         paragraph("How much each row is like all the others: the mean of its kernel with them, itself left out.") +
         chart;
}

std::string rows_section(const ReportData& data) {
  if (data.top.empty()) return "";
  const bool any_flagged = std::ranges::any_of(data.top, [](const ReportRow& row) { return row.verdict.anomalous; });
  std::string html = "<h2>" + std::string(any_flagged ? "The most anomalous rows" : "The rows least like the rest") +
                     "</h2>" +
                     paragraph(
                         "The p-value is the share of normal rows that are at least this unlike the rest. A bar is the "
                         "share that a column has in the row's unlikeness.") +
                     "<table class=\"rows\"><thead><tr><th class=\"mark\"></th><th class=\"number\">row</th>";
  if (!data.id_column.empty()) html += "<th>" + cut(data.id_column, 24) + "</th>";
  html += "<th class=\"number\">similarity</th><th class=\"number\">p-value</th>";
  if (!data.label_column.empty()) html += "<th>" + cut(data.label_column, 24) + "</th>";
  html += "<th class=\"why\">because of</th></tr></thead><tbody>\n";
  const std::vector<std::size_t> drawn = data.picture ? rows_drawn(*data.picture) : std::vector<std::size_t>();
  for (std::size_t i = 0; i < rows_shown(data); ++i) {
    html += row_of(data, data.top[i], std::ranges::binary_search(drawn, data.top[i].row));
  }
  return html + "</tbody></table>";
}

std::string picture_section(const ReportData& data) {
  if (!data.picture) return "";
  std::vector<std::size_t> linked;
  for (std::size_t i = 0; i < rows_shown(data); ++i) linked.push_back(data.top[i].row);
  const std::string chart = picture_chart(*data.picture, data.verdicts, linked);
  if (chart.empty()) return "";
  const std::size_t judged = static_cast<std::size_t>(
      std::ranges::count_if(data.verdicts, [](const Verdict& verdict) { return verdict.status == Status::ok; }));
  const std::size_t shown = std::min(kMostPoints, data.picture->points.size());
  return "<h2>Picture</h2>" +
         paragraph("Rows that are alike lie close together" +
                   (shown < judged ? "; shown are " + with_commas(shown) + " of " + counted(judged, "row", "rows")
                                   : std::string()) +
                   ". Rows that are like nothing have no place of their own: they gather at one spot.") +
         chart;
}

std::string time_section(const ReportData& data) {
  if (!data.time) return "";
  const std::string chart = time_chart(*data.time, data.verdicts, data.threshold);
  return chart.empty() ? "" : "<h2>Over time</h2>" + chart;
}

std::string drift_section(const ReportData& data) {
  if (!data.drift) return "";
  std::string html = "<h2>Drift</h2><p>" + drift_sentence(*data.drift) + "</p>";
  std::string bars;
  for (std::size_t i = 0; i < std::min(kMostMoved, data.drift->columns.size()); ++i) {
    if (data.drift->columns[i].share > 0) bars += share_bar(data.drift->columns[i]);
  }
  if (bars.empty()) return html;
  if (data.drift->p_value > kMayHaveMoved) {
    return html + "<details><summary>What small difference there is</summary><div class=\"wide\">" + bars +
           "</div></details>";
  }
  return html + paragraph("Share of each column in what moved:") + "<div class=\"wide\">" + bars + "</div>";
}

std::string bad_section(const ReportData& data) {
  if (data.bad_rows == 0) return "";
  const std::size_t shown = std::min(kMostBadRows, data.bad.size());
  return "<h2>Bad rows</h2>" +
         paragraph(counted(data.bad_rows, "row", "rows") + " could not be read and " +
                   (data.bad_rows == 1 ? "was" : "were") + " left out" +
                   (shown < data.bad_rows && shown > 0 ? "; these are the first " + with_commas(shown) : "") + ".") +
         list(data.bad, kMostBadRows);
}

std::string plan_section(const ReportData& data) {
  if (data.plan.empty()) return "";
  std::string html =
      "<h2>Plan</h2>" + paragraph("All that was decided before the first row was learned.") + "<dl class=\"facts\">";
  for (std::size_t begin = 0; begin < data.plan.size();) {
    const std::size_t end = std::min(data.plan.find('\n', begin), data.plan.size());
    const std::string line = with_short_numbers(data.plan.substr(begin, end - begin));
    const std::size_t gap = line.find("  ");
    const std::size_t value = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
    const bool two = value != std::string::npos;
    html += "<dt>" + (two ? shortened(line.substr(0, gap), 40) : "") + "</dt><dd>" +
            shortened(two ? line.substr(value) : line, 300) + "</dd>";
    begin = end + 1;
  }
  return html + "</dl>";
}

std::string columns_section(const ReportData& data) {
  if (data.columns.empty()) return "";
  const std::size_t listed = std::min(kMostColumns, data.columns.size()), first = std::min(kShortTable, listed);
  std::string html = "<h2>Columns</h2>" + list(data.column_notes, 50) + columns_table(data.columns, 0, first);
  if (first == listed) return html;
  html += "<details><summary>" + counted(data.columns.size() - first, "more column", "more columns") + "</summary>" +
          columns_table(data.columns, first, listed) + "</details>";
  return listed < data.columns.size() ? html + paragraph("The list ends after " + with_commas(listed) + " columns.")
                                      : html;
}

std::string command_section(const ReportData& data) {
  if (data.command.empty()) return "";
  return "<h2>Command</h2>" +
         paragraph("The same command with EXPoSE " + escaped(data.version) + " gives the same page.") + "<pre>" +
         shortened(data.command, 2000) + "</pre>";
}

}  // namespace expose::cli

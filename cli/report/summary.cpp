// The head of a report page: what was found, in a sentence and in figures.
#include <algorithm>
#include <array>
#include <variant>

#include "cli/report/charts.hpp"
#include "cli/report/html.hpp"
#include "cli/report/sections.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kMostFiles = 4;
constexpr std::size_t kMostNotes = 20;

struct Counts {
  std::size_t rows = 0;
  std::size_t judged = 0;
  std::size_t flagged = 0;
  std::size_t learning = 0;
  std::size_t unknown = 0;
  std::size_t rejected = 0;
};

Counts count(const ReportData& data) {
  Counts counts{.rows = data.verdicts.size()};
  for (const Verdict& verdict : data.verdicts) {
    counts.judged += verdict.status == Status::ok ? 1U : 0U;
    counts.flagged += verdict.anomalous ? 1U : 0U;
    counts.learning += verdict.status == Status::learning ? 1U : 0U;
    counts.unknown += verdict.status == Status::unknown ? 1U : 0U;
    counts.rejected += verdict.status == Status::rejected ? 1U : 0U;
  }
  return counts;
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// What made them flagged, behind a colon.
std::string rule(const Threshold& threshold, bool one) {
  return std::visit(
      Overloaded{
          [&](const Alpha& by) {
            return std::string(one ? "its" : "their") + " p-value is " + number_text(by.alpha) + " or less";
          },
          [](const Fdr& by) { return "so few that at most " + percent_text(by.q) + " of them should be false alarms"; },
          [](const Contamination& by) { return "the " + percent_text(by.share) + " least like the rest"; },
          [](const Top& by) {
            return by.count == 1 ? std::string("the least like the rest")
                                 : "the " + with_commas(by.count) + " least like the rest";
          }},
      threshold);
}

// Why none was, likewise.
std::string no_rule(const Threshold& threshold) {
  return std::visit(
      Overloaded{
          [](const Alpha& by) { return ": no p-value is " + number_text(by.alpha) + " or less"; },
          [](const Fdr& by) { return ": any choice would have more than " + percent_text(by.q) + " false alarms"; },
          [](const Contamination&) { return std::string(); }, [](const Top&) { return std::string(); }},
      threshold);
}

std::string lead(const ReportData& data, const Counts& counts) {
  if (counts.rows == 0) return "There are no rows.";
  if (counts.judged == 0) return "None of " + counted(counts.rows, "row", "rows") + " could be judged.";
  if (counts.flagged == 0) {
    return (counts.rows == 1 ? std::string("The one row is not flagged")
                             : "None of " + with_commas(counts.rows) + " rows is flagged") +
           no_rule(data.threshold) + ".";
  }
  std::string text = "<b>" + with_commas(counts.flagged) + " of " + counted(counts.rows, "row", "rows") + "</b> " +
                     (counts.flagged == 1 ? "is" : "are") +
                     " flagged as unlike the rest: " + rule(data.threshold, counts.flagged == 1) + ".";
  if (const auto* const by = std::get_if<Alpha>(&data.threshold)) {
    const double expected = by->alpha * static_cast<double>(counts.judged);
    text += " If all rows were normal, about " + (expected < 1 ? number_text(expected, 1) : number_text(expected, 2)) +
            " would be.";
  }
  return text;
}

std::string not_judged(const Counts& counts) {
  std::string text;
  const auto add = [&](std::size_t rows, const char* why) {
    if (rows > 0) text += (text.empty() ? "" : ", ") + counted(rows, "row", "rows") + " " + why;
  };
  add(counts.rejected, "with a bad value");
  add(counts.unknown, "without any value");
  add(counts.learning, "while there were too few others");
  return text.empty() ? "" : "<p class=\"soft\">Not judged: " + text + ".</p>";
}

std::string tile(const std::string& name, const std::string& figure, const std::string& beside = "",
                 const char* style = "") {
  return "<div><dt>" + name + "</dt><dd" + style + ">" + figure +
         (beside.empty() ? "" : "<small>" + beside + "</small>") + "</dd></div>";
}

std::string tiles(const ReportData& data, const Counts& counts) {
  std::string html = tile("rows", with_commas(counts.rows));
  const double share = counts.rows == 0 ? 0.0 : static_cast<double>(counts.flagged) / static_cast<double>(counts.rows);
  html += tile("flagged", with_commas(counts.flagged), counts.flagged == 0 ? "" : percent_text(share),
               counts.flagged > 0 ? " class=\"flag\"" : "");
  if (const auto threshold = similarity_between(data.verdicts)) {
    html += tile("threshold", number_text(*threshold, 2), "similarity");
  }
  if (data.auc) html += tile("AUC against " + cut(data.label_column, 24), number_text(*data.auc, 3));
  if (data.drift) html += tile("drift, p-value", p_text(data.drift->p_value));
  if (data.bad_rows > 0) html += tile("bad rows", with_commas(data.bad_rows));
  return "<dl class=\"tiles\">" + html + "</dl>";
}

std::string file_names(const ReportData& data) {
  if (data.files.empty()) return "Data";
  std::string names;
  for (std::size_t i = 0; i < std::min(kMostFiles, data.files.size()); ++i) {
    names += (i == 0 ? "" : ", ") + cut(data.files[i], 60);
  }
  if (data.files.size() <= kMostFiles) return names;
  return names + " and " + counted(data.files.size() - kMostFiles, "other", "others");
}

}  // namespace

std::string summary_section(const ReportData& data) {
  const Counts counts = count(data);
  std::string html = "<header>\n<p class=\"brand\">EXPoSE report</p>\n<h1>" + file_names(data) +
                     "</h1>\n<p class=\"lead\">" + lead(data, counts) + "</p>\n" + not_judged(counts);
  for (std::size_t i = 0; i < std::min(kMostNotes, data.notes.size()); ++i) {
    html += "<p class=\"warning\">" + cut(data.notes[i], 600) + "</p>\n";
  }
  return html + tiles(data, counts) + "\n</header>\n";
}

}  // namespace expose::cli

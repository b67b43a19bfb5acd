#include "cli/verbs/detect_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/characters.hpp"
#include "cli/layout.hpp"
#include "cli/models.hpp"
#include "cli/same_columns.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kRows = 10;
constexpr std::size_t kReasons = 3;
constexpr std::size_t kBins = 12;
constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kNames = 6;

std::string some(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNames); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > kNames ? text + ", and " + std::to_string(names.size() - kNames) + " more" : text;
}

std::string rows_table(const std::vector<JudgedRow>& rows, bool has_id, const Console& console) {
  TextTable table;
  table.headings = {{"row", true}};
  if (has_id) table.headings.push_back({"id"});
  for (const char* const name : {"similarity", "p-value"}) table.headings.push_back({name, true});
  table.headings.push_back({"flagged"});
  table.headings.push_back({"because of"});
  for (const JudgedRow& row : rows) {
    std::vector<std::string> cells = {std::to_string(row.row)};
    if (has_id) cells.push_back(cut(harmless_cell(row.id), 20));
    cells.push_back(shown_similarity(row.verdict));
    cells.push_back(in_brief(row.verdict.p_value));
    cells.push_back(row.verdict.anomalous ? console.red("yes") : "no");
    std::string reasons;
    for (const Reason& reason : row.reasons) reasons += (reasons.empty() ? "" : ", ") + harmless_cell(shown(reason));
    cells.push_back(reasons);
    table.rows.push_back(std::move(cells));
  }
  return table.str(console.abilities().width, [&](const std::string& line) { return console.bold(line); });
}

// What was typed, with another verb and without what was said of the output.
std::vector<std::string> typed_for(const std::string& verb, const std::vector<std::string>& words) {
  std::vector<std::string> kept = {verb};
  bool options = true;  // until "--"
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    options = options && word != "--";
    const std::string name = word.substr(0, word.find('='));
    const auto is = [&](std::initializer_list<const char*> names) {
      return options && std::ranges::find(names, name) != names.end();
    };
    if (is({"--json", "--only-anomalies", "--no-color", "-q", "--quiet"}) ||
        (options && word.starts_with("-o") && word.size() > 2))
      continue;
    if (is({"-o", "--output", "--format", "--reasons", "--save"})) {
      i += name == word ? 1 : 0;  // its value is the next word
      continue;
    }
    kept.push_back(word);
  }
  return kept;
}

std::string with_options(std::vector<std::string> words, const std::vector<std::string>& options) {
  words.insert(std::ranges::find(words, "--"), options.begin(), options.end());
  return "  " + as_typed(words) + "\n";
}

// Nothing where the rows came through a pipe: they are gone.
std::string next_commands(const std::vector<std::string>& words, const Input& input) {
  if (input.files().empty() || is_one_of("-", input.files())) return "";
  std::string text = with_options(typed_for("detect", words), {"--reasons", "3", "-o", "verdicts.csv"}) +
                     with_options(typed_for("report", words), {"-o", "report.html"});
  if (input.has_label()) text += with_options(typed_for("evaluate", words), {});
  return text;
}

}  // namespace

std::string understood(const Columns& columns) {
  std::string text;
  for (const auto& [role, one, many] :
       {std::tuple(Role::number, "number", "numbers"), std::tuple(Role::category, "category", "categories"),
        std::tuple(Role::time, "time", "times"), std::tuple(Role::id, "id", "ids"),
        std::tuple(Role::label, "label, which is set aside", "labels"),
        std::tuple(Role::ignored, "ignored", "ignored")}) {
    std::vector<std::string> names;
    for (const Column& column : columns.all()) {
      if (column.role == role) names.push_back(harmless_cell(column.name));
    }
    if (names.empty()) continue;
    text += (text.empty() ? "" : "; ") + counted(names.size(), one, many) + ": " + some(names);
  }
  return text;
}

std::string histogram(std::span<const Verdict> verdicts, const Console& console) {
  double most = 0.0;
  for (const Verdict& verdict : verdicts) most = std::max(most, verdict.similarity);
  struct Bin {
    std::size_t all = 0, flagged = 0;
  };
  std::array<Bin, kBins> bins{};
  for (const Verdict& verdict : verdicts) {
    if (verdict.status != Status::ok) continue;
    const double place = most > 0 ? verdict.similarity / most * kBins : 0.0;
    Bin& bin = bins[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)))];
    ++bin.all;
    bin.flagged += verdict.anomalous ? 1 : 0;
  }
  const std::size_t tallest = std::ranges::max(bins, {}, &Bin::all).all;
  if (tallest == 0) return "";
  std::string text;
  for (std::size_t b = 0; b < kBins; ++b) {
    const double width = most / kBins;
    const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(tallest); };
    text += "  " + fixed(width * static_cast<double>(b), 3) + "  " +
            console.red(bar(share(bins[b].flagged), kBarWidth)) + bar(share(bins[b].all - bins[b].flagged), kBarWidth) +
            " " + with_commas(bins[b].all) +
            (bins[b].flagged > 0 ? ", " + with_commas(bins[b].flagged) + " flagged" : "") + "\n";
  }
  return text;
}

void show_detection(Input& input, const Detection& found, std::optional<std::size_t> top, std::size_t reasons,
                    const Explain& explain, const Console& console) {
  const std::vector<std::size_t> rows = most_anomalous(found.verdicts, top.value_or(kRows));
  const std::vector<JudgedRow> judged =
      described_in_table(input, rows, found.verdicts, reasons > 0 ? reasons : kReasons, explain);
  const std::size_t width = console.abilities().width - 2;  // the indent
  Output out;
  out.write(wrapped(console.bold(harmless_cell(input.name())) + ": " + counted(found.verdicts.size(), "row") + "; " +
                        understood(input.columns()),
                    width, 2) +
            "\n");
  out.write(wrapped(console.bold("plan") + ": " + harmless(found.detector.plan().summary()), width, 2) + "\n\n");
  if (!judged.empty()) {
    out.write(console.bold("The most anomalous rows") + "\n" + rows_table(judged, input.has_id(), console) + "\n");
    out.write(console.bold("Similarities, and how many rows have them") + "\n" + histogram(found.verdicts, console) +
              "\n");
  }
  out.write(console.bold(flagged_sentence(found.verdicts, found.detector.threshold())) + "\n");
  const std::string next = next_commands(console.words(), input);
  if (!next.empty()) out.write("\n" + console.faint("Next:") + "\n" + harmless(next));
  out.close();
}

}  // namespace expose::cli

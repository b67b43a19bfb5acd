// expose drift: whether two models or tables differ, and in which columns.
#include <algorithm>
#include <memory>
#include <numeric>

#include "cli/characters.hpp"
#include "cli/layout.hpp"
#include "cli/models.hpp"
#include "cli/verbs.hpp"
#include "expose/detector/file_kind.hpp"
#include "expose/detector/json.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

namespace {

constexpr double kLevel = 0.01;
constexpr double kTiny = 1e-300;      // a p-value below it is as good as 0
constexpr std::size_t kColumns = 10;  // that a person is shown
constexpr std::size_t kBarWidth = 30;

struct Choice {
  std::string a, b;
  InputChoice input;
  Options options;
  Said said;
  bool json = false;
};

// Both sides as models of one plan, and the exit code that bad rows ask for.
struct Sides {
  Detector a, b;
  int code = kDone;
};

InputChoice reading(const Choice& choice, const std::vector<std::string>& files) {
  InputChoice input = choice.input;
  input.files = files;
  return input;
}

// Rows of a table into an empty model of the other's plan.
Detector learned(const std::string& file, const Detector& other, const Choice& choice, Console& console, int& code) {
  Input input(reading(choice, {file}), Reads::once, console, "drift");
  input.take(other.plan(), file == choice.a ? choice.b : choice.a);
  Detector detector(other.plan(), choice.input.threads);
  for (Records rows = input.next(); !rows.empty(); rows = input.next()) detector.learn(rows);
  code = input.finish();
  return detector;
}

// Two tables are planned as one: then neither is the measure of the other, the answer is the same for A B and B A, and
// if the rows are of one kind, the plan cannot tell which table one came from.
Sides of_tables(const Choice& choice, Console& console) {
  if (choice.a == choice.b) throw CommandError("A and B are the same file: nothing to compare");
  Input both(reading(choice, {choice.a, choice.b}), Reads::again, console, "drift");
  Options options = with(choice.options, {}, choice.input.threads);
  options.table = both.guess(options.missing);
  const Plan plan = expose::fit(both, options).plan();
  Sides sides{Detector(plan, options.threads), Detector(plan, options.threads)};
  both.rewind();
  for (Records rows = both.next(); !rows.empty(); rows = both.next()) {
    const std::string& file = both.block().file;  // standard input has a name of its own there
    const bool of_b = file == choice.b || (choice.b == "-" && file != choice.a);
    (of_b ? sides.b : sides.a).learn(rows);
  }
  sides.code = both.finish();
  return sides;
}

Sides sides_of(const Choice& choice, Console& console) {
  const bool a = is_model_file(choice.a), b = is_model_file(choice.b);
  if (!a && !b) return of_tables(choice, console);
  require_no_plan(choice.said, a ? choice.a : choice.b);
  int code = kDone;
  if (a && b) return {load(choice.a, choice.input.threads), load(choice.b, choice.input.threads)};
  Detector model = load(a ? choice.a : choice.b, choice.input.threads);
  Detector table = learned(a ? choice.b : choice.a, model, choice, console, code);
  return a ? Sides{std::move(model), std::move(table), code} : Sides{std::move(table), std::move(model), code};
}

struct Moved {
  std::string column;
  double share = 0.0;
};

// Largest share first; columns that have none in it are left out.
std::vector<Moved> columns_of(const Drift& drift, const Plan& plan) {
  const Columns columns = plan.table() ? *plan.table() : Columns::numbers(plan.columns());
  const std::vector<double> shares = columns.by_column(drift.features);
  std::vector<Moved> moved;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (shares[c] > 0) moved.push_back({columns.all()[c].name, shares[c]});
  }
  std::ranges::stable_sort(moved, std::ranges::greater{}, &Moved::share);
  return moved;
}

std::string as_json(const Choice& choice, const Sides& sides, const Drift& drift, const std::vector<Moved>& moved) {
  std::vector<Json> columns;
  for (const Moved& m : moved) columns.emplace_back().text("column", m.column).number("share", m.share);
  Json json;
  json.text("a", choice.a)
      .text("b", choice.b)
      .number("rows_a", sides.a.weight())
      .number("rows_b", sides.b.weight())
      .number("mmd", drift.mmd)
      .number("p_value", drift.p_value)
      .truth("moved", drift.p_value <= kLevel)
      .objects("columns", columns);
  return json.str() + "\n";
}

std::string for_people(const Choice& choice, const Sides& sides, const Drift& drift, const std::vector<Moved>& moved,
                       const Console& console) {
  const auto rows = [](const Detector& side) { return counted(static_cast<std::size_t>(side.weight()), "row"); };
  const bool has_moved = drift.p_value <= kLevel;
  std::string text = console.bold(harmless_cell(choice.a)) + " (" + rows(sides.a) + ") and " +
                     console.bold(harmless_cell(choice.b)) + " (" + rows(sides.b) + ")\n" +
                     (has_moved ? console.red("Something has moved") : console.green("No sign of drift")) +
                     ": p-value " + (drift.p_value < kTiny ? "< 1e-300" : in_brief(drift.p_value)) +
                     ", distance (mmd) " + in_brief(drift.mmd) + "\n" +
                     console.faint("The p-value is how often rows of one kind are that far apart; drift is said at " +
                                   in_brief(kLevel) + " or less.") +
                     "\n";
  if (!has_moved || moved.empty()) return text;
  std::size_t width = 0;
  const std::size_t count = std::min(moved.size(), kColumns);
  for (std::size_t i = 0; i < count; ++i)
    width = std::max(width, width_of(cut(harmless_cell(moved[i].column), kBarWidth)));
  text += "\n" + console.bold("What moved: the share of each column") + "\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += "  " + padded(cut(harmless_cell(moved[i].column), kBarWidth), width) + "  " +
            right(percent(moved[i].share), 5) + "  " + bar(moved[i].share / moved.front().share, kBarWidth) + "\n";
  }
  if (moved.size() > count) text += "  and " + counted(moved.size() - count, "column") + " more\n";
  return text;
}

int drift(const Choice& choice, Console& console) {
  with(choice.options, {}, choice.input.threads);  // complains before a file is read
  const Sides sides = sides_of(choice, console);
  for (const auto& [side, name] : {std::pair(&sides.a, choice.a), std::pair(&sides.b, choice.b)}) {
    if (!(side->weight() > 0)) throw Error(Code::invalid_argument, name + " has no rows to compare");
  }
  const Drift found = expose::drift(sides.a, sides.b);
  const std::vector<Moved> moved = columns_of(found, sides.a.plan());
  Output out;
  out.write(choice.json ? as_json(choice, sides, found, moved) : for_people(choice, sides, found, moved, console));
  out.close();
  return sides.code;
}

}  // namespace

Job declare_drift(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose drift lastweek.expose today.csv",
                    "whether today is unlike last week, and in which columns");
  arguments.example("expose drift lastweek.csv today.csv --ignore comment --json", "two tables, for a program");
  for (const auto& [name, help, into] : {std::tuple("A", "a model, or a table", &choice->a),
                                         std::tuple("B", "a model of the same plan, or a table", &choice->b)}) {
    Argument& side = arguments.positional(name, help, *into);
    side.required = true;
    side.file = FileUse::table;
  }
  declare_json(arguments, choice->json);
  declare_reading(arguments, choice->input);
  declare_plan(arguments, choice->options, &choice->said);
  arguments.note(
      "A table beside a model is learned by the plan of the model; two tables are planned as one. Exit code 0 whether "
      "something moved or not: p_value of --json tells.");
  return [choice](Console& console) { return drift(*choice, console); };
}

}  // namespace expose::cli

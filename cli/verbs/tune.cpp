// expose tune: choose kernel, scale and bandwidth with the help of a few labelled rows.
#include <algorithm>
#include <memory>

#include "cli/characters.hpp"
#include "cli/labels.hpp"
#include "cli/layout.hpp"
#include "cli/models.hpp"
#include "cli/same_columns.hpp"
#include "cli/verbs.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/json.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

namespace {

struct Choice {
  InputChoice input;
  std::vector<std::string> anomaly;
  Options options;
  Said said;
  ThresholdChoice threshold;
  std::string model;
  bool json = false;
};

// Every candidate is fitted to the same rows, so they are in memory.
struct Table {
  std::vector<double> numbers;
  std::vector<Label> labels;
};
Table read_all(Input& input, LabelReader& reader) {
  Table table;
  for (Records rows = input.next(); !rows.empty(); rows = input.next()) {
    for (std::size_t i = 0; i < rows.n(); ++i)
      table.numbers.insert(table.numbers.end(), rows.doubles(i), rows.doubles(i) + rows.d());
    reader.read(input, table.labels);
  }
  return table;
}

std::string kernel_of(const Options& options) {
  return options.map == MapKind::isolation ? "isolation" : name(options.kernel);
}
std::string scale_of(const Options& options) {
  return options.scale ? name(*options.scale) : options.preset == Preset::paper ? "none" : "robust";
}
std::string bandwidth_of(const Options& options) { return options.bandwidth ? in_brief(*options.bandwidth) : "auto"; }

// What one would type to have them.
std::string as_options(const Options& options) {
  const Options defaults;
  const bool has_kernel = options.map != MapKind::isolation;
  std::string text = (has_kernel ? "--kernel " + name(options.kernel) + " " : "") + "--scale " + scale_of(options);
  if (options.bandwidth) text += " --bandwidth " + expose::text(*options.bandwidth);
  if (options.map) text += " --map " + name(*options.map);
  if (options.r) text += " -r " + std::to_string(*options.r);
  if (options.memory != defaults.memory) text += " --memory " + name(options.memory);
  if (options.trim) text += " --trim " + expose::text(*options.trim);
  if (options.missing != defaults.missing) text += " --missing " + name(options.missing);
  if (options.preset != defaults.preset) text += " --preset " + name(options.preset);
  if (options.seed != defaults.seed) text += " --seed " + std::to_string(options.seed);
  return text;
}

bool same_candidate(const Options& a, const Options& b) {
  return a.kernel == b.kernel && scale_of(a) == scale_of(b) && a.bandwidth == b.bandwidth;
}

Json as_json(const Options& options) {
  Json json;
  json.text("kernel", kernel_of(options)).text("scale", scale_of(options));
  if (options.bandwidth) return json.number("bandwidth", *options.bandwidth);
  return json.text("bandwidth", "auto");
}

std::string as_json(const Tuned& tuned, const Choice& choice) {
  std::vector<Json> trials;
  for (const Trial& trial : tuned.trials) {
    trials.push_back(
        as_json(trial.options).number("auc", trial.auc).number("gain", trial.gain).number("error", trial.error));
  }
  Json json;
  json.number("auc_of_start", tuned.auc_of_start)
      .number("auc", tuned.auc)
      .count("anomalies", tuned.anomalies)
      .count("normals", tuned.normals)
      .object("options", as_json(tuned.options))
      .objects("trials", trials);
  if (!choice.model.empty()) json.text("model", choice.model);
  return json.str() + "\n";
}

std::string trials_table(const Tuned& tuned, bool kept, const Console& console) {
  TextTable table;
  table.headings = {{"kernel"}, {"scale"}, {"bandwidth", true}, {"AUC", true}, {"gain", true}, {"error", true}, {""}};
  for (std::size_t i = 0; i < tuned.trials.size(); ++i) {
    const Trial& trial = tuned.trials[i];
    const bool chosen = kept ? i == 0 : same_candidate(trial.options, tuned.options);
    table.rows.push_back({kernel_of(trial.options), scale_of(trial.options), bandwidth_of(trial.options),
                          fixed(trial.auc, 4), fixed(trial.gain, 4), fixed(trial.error, 4),
                          i == 0 ? (chosen ? "start, chosen" : "start") : (chosen ? "chosen" : "")});
  }
  return table.str(console.abilities().width, [&](const std::string& line) { return console.bold(line); });
}

// "2,000 anomalies", "56,237 anomalies, of which 2,000 were looked at"
std::string looked_at(std::size_t some, Label label, const Table& table, const char* one, const char* many) {
  const auto all = static_cast<std::size_t>(std::ranges::count(table.labels, label));
  return counted(all, one, many) + (some < all ? " (" + with_commas(some) + " of them were looked at)" : "");
}

std::string for_people(const Tuned& tuned, const Options& start, const Table& table, const Input& input,
                       const Console& console) {
  const bool kept = tuned.options == start;
  std::string text = console.bold(harmless_cell(input.name())) + ": " + counted(input.rows(), "row") +
                     "; labelled are " + looked_at(tuned.anomalies, Label::anomaly, table, "anomaly", "anomalies") +
                     " and " + looked_at(tuned.normals, Label::normal, table, "normal row", "normal rows") + "\n";
  text += "AUC on them: " + fixed(tuned.auc_of_start, 4) + " with the options it started from, " +
          console.bold(fixed(tuned.auc, 4)) + " tuned (cross-validated)\n";
  text += (kept                             ? "The labels give no reason to leave the options it started from: "
           : tuned.auc > tuned.auc_of_start ? "Chosen: "
                                            : "Chosen, though no gain is left when it is cross-validated: ") +
          console.bold(as_options(tuned.options)) + "\n\n";
  return text + trials_table(tuned, kept, console);
}

int tune(const Choice& choice, Console& console) {
  require_label(choice.input);
  Options start = with(choice.options, choice.threshold, choice.input.threads);
  Input input(choice.input, Reads::again, console, "tune");
  start.table = input.guess(start.missing);
  LabelReader labels(choice.anomaly);
  const Table table = read_all(input, labels);
  labels.require_anomaly();
  const Records rows(table.numbers, start.table->width());
  console.show_progress("tune: trying kernels, scales and bandwidths");
  const Tuned tuned = expose::tune(rows, table.labels, start, is_one_of("--kernel", choice.said));
  console.end_progress();
  if (!choice.model.empty()) {
    const Detector detector = expose::fit(rows, tuned.options);
    save(detector, choice.model);
    console.say(choice.model + ": " + counted(input.rows() - input.bad_rows(), "row") + ", " +
                detector.plan().summary());
  }
  // Last: a reader that leaves early must not cost the model.
  Output out;
  out.write(choice.json ? as_json(tuned, choice) : for_people(tuned, start, table, input, console));
  out.close();
  return input.finish();
}

}  // namespace

Job declare_tune(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose tune data.csv --label fraud -o tuned.expose",
                    "a model with the options that fit the labels");
  arguments.example("expose tune data.csv --label class --anomaly attack,probe", "labels of your own");
  declare_input(arguments, choice->input);
  declare_anomaly(arguments, choice->anomaly);
  arguments.group("Output");
  arguments.option("-o,--output", "MODEL", "where the model goes that is fitted with the chosen options", choice->model)
      .file = FileUse::written;
  declare_json(arguments, choice->json);
  declare_threshold(arguments, choice->threshold);
  declare_plan(arguments, choice->options, &choice->said);
  arguments.note(
      "A few labels are enough: empty fields are no label. What is said under Plan stays; kernel, scale and bandwidth "
      "are chosen where nothing is said. The table must fit into memory, as numbers of 8 bytes.");
  return [choice](Console& console) { return tune(*choice, console); };
}

}  // namespace expose::cli

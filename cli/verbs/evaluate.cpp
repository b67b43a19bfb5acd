// expose evaluate: how well verdicts agree with a label column.
#include <algorithm>
#include <memory>

#include "cli/characters.hpp"
#include "cli/labels.hpp"
#include "cli/layout.hpp"
#include "cli/models.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/detect_view.hpp"
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

struct Judged {
  std::vector<Verdict> verdicts;
  std::vector<Label> labels;
  Threshold threshold;
};

Judged by_model(const Choice& choice, Input& input, LabelReader& labels, Console& console) {
  Detector detector = load(choice.model, choice.input.threads);
  if (const std::optional<Threshold> threshold = threshold_of(choice.threshold)) detector.set_threshold(*threshold);
  input.take(detector.plan(), choice.model);
  warn_if_nothing_can_be_flagged(detector, console);
  Judged judged{{}, {}, detector.threshold()};
  for (Records rows = input.next(); !rows.empty(); rows = input.next()) {
    const std::vector<Verdict> more = detector.judge(rows);
    judged.verdicts.insert(judged.verdicts.end(), more.begin(), more.end());
    labels.read(input, judged.labels);
  }
  set_flags(judged.verdicts, judged.threshold);
  return judged;
}

// Each row left out of its own judgement.
Judged by_itself(Options options, Input& input, LabelReader& labels) {
  options.table = input.guess(options.missing);
  Detection found = expose::detect(input, options);
  Judged judged{std::move(found.verdicts), {}, found.detector.threshold()};
  input.rewind();
  while (!input.next().empty()) labels.read(input, judged.labels);
  return judged;
}

std::string as_json(const Agreement& found, const Judged& judged) {
  Json json;
  json.count("rows", judged.verdicts.size())
      .count("anomalies", found.anomalies())
      .count("normals", found.normals())
      .count("left_out", found.left_out)
      .number("auc", found.auc)
      .number("average_precision", found.average_precision)
      .number("balanced_accuracy", found.balanced_accuracy)
      .text("threshold", in_words(judged.threshold))
      .count("true_positives", found.true_positives)
      .count("false_positives", found.false_positives)
      .count("true_negatives", found.true_negatives)
      .count("false_negatives", found.false_negatives);
  return json.str() + "\n";
}

std::string for_people(const Agreement& found, const Judged& judged, const Input& input, const Console& console) {
  std::string text = console.bold(harmless_cell(input.name())) + ": " +
                     counted(found.anomalies(), "anomaly", "anomalies") + " and " +
                     counted(found.normals(), "normal row");
  if (found.left_out > 0) text += "; " + counted(found.left_out, "row") + " without a label or a verdict left out";
  const std::size_t width = std::max(console.abilities().width, std::size_t{60}) - 2;  // the indent
  text += "\n" + wrapped(understood(input.columns()), width, 2) + "\n\n";
  const auto line = [&](const std::string& what, double value, const std::string& means) {
    text += "  " + padded(what, 20) + console.bold(fixed(value, 4)) + "   " + console.faint(means) + "\n";
  };
  line("AUC", found.auc, "how often an anomaly ranks before a normal row; 0.5 is chance");
  line("average precision", found.average_precision, "precision, averaged from the first anomaly found to the last");
  line("balanced accuracy", found.balanced_accuracy, "with the rows that are flagged: " + in_words(judged.threshold));
  TextTable table;
  table.headings = {{""}, {"flagged", true}, {"not flagged", true}};
  table.rows = {{"  anomalies", with_commas(found.true_positives), with_commas(found.false_negatives)},
                {"  normal rows", with_commas(found.false_positives), with_commas(found.true_negatives)}};
  return text + "\n" + table.str(80, [&](const std::string& heading) { return console.bold(heading); });
}

int evaluate(const Choice& choice, Console& console) {
  require_label(choice.input);
  if (!choice.model.empty()) require_no_plan(choice.said, choice.model);
  const Options options = with(choice.options, choice.threshold, choice.input.threads);
  LabelReader labels(choice.anomaly);
  Input input(choice.input, choice.model.empty() ? Reads::again : Reads::once, console, "evaluate");
  const Judged judged =
      choice.model.empty() ? by_itself(options, input, labels) : by_model(choice, input, labels, console);
  labels.require_anomaly();
  const Agreement found = agreement(judged.verdicts, judged.labels);
  Output out;
  out.write(choice.json ? as_json(found, judged) : for_people(found, judged, input, console));
  out.close();
  return input.finish();
}

}  // namespace

Job declare_evaluate(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose evaluate -m m.expose test.csv --label fraud", "how well a model finds what is labelled");
  arguments.example("expose evaluate data.csv --label fraud --fdr 0.1 --json",
                    "without a model: what detect says, each row left out of its own judgement");
  arguments.group("Model");
  arguments
      .option("-m,--model", "MODEL", "judge by this model (default: fit and judge the same rows, as detect does)",
              choice->model)
      .file = FileUse::model;
  declare_input(arguments, choice->input);
  declare_anomaly(arguments, choice->anomaly);
  declare_json(arguments, choice->json);
  declare_threshold(arguments, choice->threshold);
  declare_plan(arguments, choice->options, &choice->said);
  return [choice](Console& console) { return evaluate(*choice, console); };
}

}  // namespace expose::cli

// expose fit: plan, learn, calibrate; write a model.
#include <memory>

#include "cli/models.hpp"
#include "cli/verbs.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

namespace {

struct Choice {
  InputChoice input;
  Options options;
  Said said;
  ThresholdChoice threshold;
  std::string model;
  std::string plan_of;
};

// Empty, with the plan of another model, whose columns the file must have.
Detector learned_like(const std::string& path, Input& input, const Choice& choice) {
  const Detector other = load(path);
  input.take(other.plan(), path);
  Detector detector(other.plan(), choice.input.threads);
  detector.set_threshold(threshold_of(choice.threshold).value_or(other.threshold()));
  for (Records rows = input.next(); !rows.empty(); rows = input.next()) detector.learn(rows);
  return detector;
}

Detector fitted(Options options, Input& input) {
  options.table = input.guess(options.missing);
  return expose::fit(input, options);
}

int fit(const Choice& choice, Console& console) {
  const Options options = with(choice.options, choice.threshold, choice.input.threads);
  if (!choice.plan_of.empty()) require_no_plan(choice.said, choice.plan_of);
  Input input(choice.input, choice.plan_of.empty() ? Reads::again : Reads::once, console, "fit");
  const Detector detector =
      choice.plan_of.empty() ? fitted(options, input) : learned_like(choice.plan_of, input, choice);
  save(detector, choice.model);
  console.say(choice.model + ": " + counted(input.rows() - input.bad_rows(), "row") + ", " + detector.plan().summary());
  warn_if_nothing_can_be_flagged(detector, console);
  return input.finish();
}

}  // namespace

Job declare_fit(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose fit data.csv -o normal.expose", "what is normal, as a model");
  arguments.example("expose fit data.csv --ignore comment --label fraud --map sorf -r 4096 -o normal.expose", "");
  arguments.example("expose fit tuesday.csv --plan monday.expose -o tuesday.expose",
                    "a model that can be merged with Monday's");
  declare_input(arguments, choice->input);
  arguments.group("Output");
  Argument& output = arguments.option("-o,--output", "MODEL", "where the model goes; an old one is replaced as a whole",
                                      choice->model);
  output.required = true;
  output.file = FileUse::written;
  declare_threshold(arguments, choice->threshold);
  declare_plan(arguments, choice->options, &choice->said);
  arguments
      .option("--plan", "MODEL", "take the plan of this model as it is: models of one plan can be merged and compared",
              choice->plan_of)
      .file = FileUse::model;
  return [choice](Console& console) { return fit(*choice, console); };
}

}  // namespace expose::cli

// expose detect: fit and judge the same table, each row left out of its own judgement.
#include <memory>

#include "cli/models.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/detect_view.hpp"
#include "cli/verdicts.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

namespace {

struct Choice {
  InputChoice input;
  Options options;
  ThresholdChoice threshold;
  OutputChoice output;
  std::string model;
};

int detect(const Choice& choice, Console& console) {
  const Options options = with(choice.options, choice.threshold, choice.input.threads);
  Input input(choice.input, Reads::again, console, "detect");
  Options named = options;
  named.table = input.guess(options.missing);
  const Detection found = expose::detect(input, named);
  if (!choice.model.empty()) save(found.detector, choice.model);
  const Explain explain = explain_with(found.detector);
  const bool terminal = console.abilities().terminal_out;
  const bool to_file = !to_standard_output(choice.output);
  const bool view = terminal && (to_file || !choice.output.format);
  if (terminal) console.hide_progress();
  if (!view || to_file) {
    write_verdicts(input, found.verdicts, choice.output, options.top, terminal, explain);
  }
  if (view) {
    show_detection(input, found, options.top, choice.output.reasons, explain, console);
  } else {
    console.say(flagged_sentence(found.verdicts, found.detector.threshold()));
  }
  if (found.much_looks_anomalous) console.say("warning: " + much_is_anomalous());
  if (!choice.model.empty()) warn_if_nothing_can_be_flagged(found.detector, console);
  return input.finish();
}

}  // namespace

Job declare_detect(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose detect data.csv", "the most anomalous rows of a table, on a terminal");
  arguments.example("expose detect data.csv --top 20 --reasons 3",
                    "the twenty most anomalous rows, with three reasons each");
  arguments.example("expose detect data.csv --id customer --ignore comment -o verdicts.csv", "a verdict for each row");
  arguments.example("zcat *.csv.gz | expose detect --fdr 0.1 --only-anomalies",
                    "at most a tenth of the flagged rows is normal");
  declare_input(arguments, choice->input);
  declare_threshold(arguments, choice->threshold);
  declare_output(arguments, choice->output);
  arguments.option("--save", "MODEL", "write the model too, to judge more rows by it", choice->model).file =
      FileUse::written;
  declare_plan(arguments, choice->options);
  return [choice](Console& console) { return detect(*choice, console); };
}

}  // namespace expose::cli

// expose judge: judge rows by a model, never learn.
#include <memory>

#include "cli/models.hpp"
#include "cli/verbs.hpp"
#include "cli/verdicts.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

namespace {

struct Choice {
  InputChoice input;
  ThresholdChoice threshold;
  OutputChoice output;
  std::string model;
};

struct Counts {
  std::size_t rows = 0;
  std::size_t flagged = 0;
};

// A threshold that looks at a row alone: a block in, its verdicts out, and no memory of either.
Counts judge_in_blocks(Input& input, const Detector& detector, const OutputChoice& choice, bool terminal) {
  Output output(choice.path);
  VerdictWriter writer(output, format_of(choice, terminal), input.has_id(), choice.reasons);
  const Explain explain = explain_with(detector);
  Counts counts;
  for (Records rows = input.next(); !rows.empty(); rows = input.next()) {
    const std::vector<Verdict> verdicts = detector.judge(rows);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      counts.flagged += verdicts[i].anomalous ? 1 : 0;
      if (!choice.only_anomalies || verdicts[i].anomalous) shown.push_back(i);
    }
    counts.rows += verdicts.size();
    for (const JudgedRow& row : described_in_block(input, shown, verdicts, choice.reasons, explain)) writer.write(row);
    output.flush();
  }
  output.close();
  return counts;
}

int judge(const Choice& choice, Console& console) {
  Detector detector = load(choice.model, choice.input.threads);
  if (const std::optional<Threshold> threshold = threshold_of(choice.threshold)) detector.set_threshold(*threshold);
  const bool row_by_row = std::holds_alternative<Alpha>(detector.threshold());
  Input input(choice.input, row_by_row ? Reads::once : Reads::again, console, "judge");
  input.take(detector.plan(), choice.model);
  const bool terminal = console.abilities().terminal_out;
  if (terminal && to_standard_output(choice.output)) console.hide_progress();
  if (row_by_row) {
    const Counts counts = judge_in_blocks(input, detector, choice.output, terminal);
    console.say(flagged_sentence(counts.flagged, counts.rows, detector.threshold()));
    warn_if_nothing_can_be_flagged(detector, console);
    return input.finish();
  }
  std::vector<Verdict> verdicts;
  for (Records rows = input.next(); !rows.empty(); rows = input.next()) {
    const std::vector<Verdict> more = detector.judge(rows);
    verdicts.insert(verdicts.end(), more.begin(), more.end());
  }
  set_flags(verdicts, detector.threshold());
  write_verdicts(input, verdicts, choice.output, choice.threshold.top, terminal, explain_with(detector));
  console.say(flagged_sentence(verdicts, detector.threshold()));
  return input.finish();
}

}  // namespace

Job declare_judge(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose judge -m normal.expose new.csv -o verdicts.csv", "a verdict for each row");
  arguments.example("expose judge -m normal.expose new.csv --only-anomalies --reasons 3", "the anomalies, and why");
  declare_model(arguments, choice->model);
  declare_input(arguments, choice->input);
  declare_threshold(arguments, choice->threshold);
  declare_output(arguments, choice->output);
  return [choice](Console& console) { return judge(*choice, console); };
}

}  // namespace expose::cli

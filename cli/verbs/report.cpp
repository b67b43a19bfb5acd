// expose report: what detect finds, as a page with pictures in one file.
#include <memory>

#include "cli/labels.hpp"
#include "cli/models.hpp"
#include "cli/report/gather.hpp"
#include "cli/report/page.hpp"
#include "cli/verbs.hpp"

namespace expose::cli {

namespace {

struct Choice {
  InputChoice input;
  std::vector<std::string> anomaly;
  Options options;
  ThresholdChoice threshold;
  std::string page = "report.html";
};

int report(const Choice& choice, Console& console) {
  Options options = with(choice.options, choice.threshold, choice.input.threads);
  Input input(choice.input, Reads::again, console, "report");
  options.table = input.guess(options.missing);
  const Detection found = expose::detect(input, options);
  const std::string page = report_page(gather_report(input, found, choice.anomaly, console));
  Output out(choice.page);
  out.write(page);
  out.close();
  console.say(flagged_sentence(found.verdicts, found.detector.threshold()) +
              (choice.page == "-" ? "" : "; the page is " + choice.page));
  return input.finish();
}

}  // namespace

Job declare_report(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose report data.csv -o report.html", "then open report.html in a browser");
  arguments.example("expose report log.csv --time when --id host --label incident",
                    "with a line over time, and what is known beside what was found");
  declare_input(arguments, choice->input);
  declare_anomaly(arguments, choice->anomaly);
  arguments.group("Output");
  arguments
      .option("-o,--output", "FILE", "where the page goes; - is standard output (default report.html)", choice->page)
      .file = FileUse::written;
  declare_threshold(arguments, choice->threshold);
  declare_plan(arguments, choice->options);
  return [choice](Console& console) { return report(*choice, console); };
}

}  // namespace expose::cli

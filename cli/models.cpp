#include "cli/models.hpp"

#include <algorithm>

#include "expose/base/text.hpp"
#include "expose/detector/file.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

Explain explain_with(const Detector& detector) {
  return [&detector](Records rows, std::span<const std::uint32_t> groups) { return detector.explain(rows, groups); };
}

void update_model(const std::string& path, const std::string& output, std::size_t threads, Console& console,
                  const std::function<void(Detector&)>& change) {
  const UpdateLock lock(path, [&] { console.say("waiting for another command that is updating " + path); });
  Detector detector = load(path, threads);
  change(detector);
  save(detector, output.empty() ? path : output);
}

std::string in_words(const Threshold& threshold) {
  if (const Alpha* const t = std::get_if<Alpha>(&threshold)) return "p <= " + text(t->alpha);
  if (const Fdr* const t = std::get_if<Fdr>(&threshold)) return "a false discovery rate of " + text(t->q);
  if (const Contamination* const t = std::get_if<Contamination>(&threshold)) return "a share of " + text(t->share);
  return "the top " + std::to_string(std::get<Top>(threshold).count);
}

std::string flagged_sentence(std::size_t flagged, std::size_t rows, const Threshold& threshold) {
  return with_commas(flagged) + " of " + counted(rows, "row") + (flagged == 1 || rows == 1 ? " is" : " are") +
         " flagged (" + in_words(threshold) + ")";
}

std::string flagged_sentence(std::span<const Verdict> verdicts, const Threshold& threshold) {
  const auto flagged = static_cast<std::size_t>(std::ranges::count_if(verdicts, &Verdict::anomalous));
  return flagged_sentence(flagged, verdicts.size(), threshold);
}

void warn_if_nothing_can_be_flagged(const Detector& detector, Console& console) {
  constexpr double kLowest = -1.0;  // no similarity is below it
  const Alpha* const threshold = std::get_if<Alpha>(&detector.threshold());
  const double p_value = detector.p_value(kLowest);
  if (threshold == nullptr || p_value <= threshold->alpha) return;
  console.say(p_value < 1
                  ? "warning: no row can get a p-value below " + in_brief(p_value) + " by this model; alpha is " +
                        text(threshold->alpha) + ": fit on rows you trust, or use --top"
                  : "warning: this model has too few rows to name p-values, so no row can be flagged");
}

std::string much_is_anomalous() {
  return "more than 5 % of the rows have a p-value of .001 or less: either much is anomalous, or a small group of "
         "normal "
         "rows was taken for anomalies; --trim 0 keeps such a group in";
}

}  // namespace expose::cli

#include "expose/detector/verdict.hpp"

#include <array>
#include <variant>

namespace expose {

std::string name(Status status) {
  constexpr std::array<const char*, 4> kNames = {"ok", "learning", "unknown", "rejected"};
  return kNames.at(static_cast<std::size_t>(status));
}

void set_flags(std::vector<Verdict>& verdicts, const Threshold& threshold) {
  require_valid(threshold);
  if (const Alpha* const t = std::get_if<Alpha>(&threshold)) {  // which looks at a row alone: nothing to collect
    for (Verdict& verdict : verdicts) verdict.anomalous = verdict.status == Status::ok && verdict.p_value <= t->alpha;
    return;
  }
  std::vector<double> p_values, similarities;
  std::vector<char> eligible;
  for (const Verdict& verdict : verdicts) {
    p_values.push_back(verdict.p_value);
    similarities.push_back(verdict.similarity);
    eligible.push_back(verdict.status == Status::ok ? 1 : 0);
  }
  const std::vector<char> flags = flag(p_values, similarities, eligible, threshold);
  for (std::size_t i = 0; i < verdicts.size(); ++i) verdicts[i].anomalous = flags[i] != 0;
}

}  // namespace expose

// time_chart: p-values over time.
#include <algorithm>
#include <cmath>
#include <variant>

#include "cli/report/axis.hpp"
#include "cli/report/charts.hpp"
#include "cli/report/html.hpp"
#include "cli/report/svg.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kStretches = 360;
constexpr std::size_t kMostFlagged = 500;
constexpr double kSmallest = 20;  // -log10 p: smaller ones are drawn there

struct Moment {
  double seconds = 0.0;
  double depth = 0.0;  // -log10 p, at most kSmallest
  std::size_t row = 0;
  bool flagged = false;
};

std::vector<Moment> moments_of(const ReportTime& time, std::span<const Verdict> verdicts) {
  std::vector<Moment> moments;
  for (std::size_t i = 0; i < std::min(time.seconds.size(), verdicts.size()); ++i) {
    const Verdict& verdict = verdicts[i];
    if (!std::isfinite(time.seconds[i]) || verdict.status != Status::ok || !(verdict.p_value >= 0)) continue;
    const double depth = verdict.p_value > 0 ? -std::log10(std::min(verdict.p_value, 1.0)) : kSmallest;
    moments.push_back({time.seconds[i], std::min(depth, kSmallest) + 0.0, i + 1, verdict.anomalous});
  }
  return moments;
}

// The lowest p-value of each stretch of time that has any of these.
std::vector<const Moment*> lowest(const std::vector<Moment>& moments, const Axis& x, bool flagged_only) {
  std::vector<const Moment*> found(kStretches, nullptr);
  const Axis stretches{x.low, x.high, 0.0, static_cast<double>(kStretches)};
  for (const Moment& moment : moments) {
    if (flagged_only && !moment.flagged) continue;
    const Moment*& here = found[std::min(static_cast<std::size_t>(stretches.at(moment.seconds)), kStretches - 1)];
    if (here == nullptr || moment.depth > here->depth) here = &moment;
  }
  std::erase(found, nullptr);
  return found;
}

std::vector<const Moment*> all_or_lowest(const std::vector<Moment>& moments, const Axis& x, bool flagged_only,
                                         std::size_t most) {
  std::vector<const Moment*> all;
  for (const Moment& moment : moments) {
    if (!flagged_only || moment.flagged) all.push_back(&moment);
  }
  return all.size() <= most ? all : lowest(moments, x, flagged_only);
}

std::string caption(std::size_t rows, std::size_t stems, const Alpha* alpha, bool held) {
  const std::string lines =
      stems == rows ? "One line a row"
                    : "Each line is the lowest p-value of about " + counted((rows + stems - 1) / stems, "row", "rows");
  return "<figcaption class=\"legend\"><span>" + lines + ": the longer, the less like the rest." +
         (alpha == nullptr ? "" : " Dashed: the threshold, " + number_text(alpha->alpha) + ".") +
         (held ? " What is below " + power_text(static_cast<int>(-kSmallest)) + " is drawn there." : "") +
         "</span><span class=\"key\"><i class=\"dot\"></i>flagged</span></figcaption>";
}

}  // namespace

std::string time_chart(const ReportTime& time, std::span<const Verdict> verdicts, const Threshold& threshold) {
  const std::vector<Moment> moments = moments_of(time, verdicts);
  if (moments.empty()) return "";
  const auto [first, last] = std::ranges::minmax_element(moments, {}, &Moment::seconds);
  const double deepest = std::ranges::max_element(moments, {}, &Moment::depth)->depth;
  const bool one_moment = !(last->seconds > first->seconds);
  const Frame frame{.height = 240};
  const Axis x = frame.x_axis(first->seconds - (one_moment ? 1 : 0), last->seconds + (one_moment ? 1 : 0));
  const Axis y = frame.y_axis(0, 1.05 * std::max(deepest, 2.5));
  std::string svg = open_svg(frame, "p-values over time");
  std::vector<Mark> levels = power_marks(-y.high, 0, 4);
  for (Mark& mark : levels) mark.value = -mark.value;
  svg += y_marks(frame, y, levels) + x_marks(frame, x, time_marks(x.low, x.high, 5)) +
         axis_titles(frame,
                     shortened(time.column, 40) + ", " + time_text(first->seconds) + " to " + time_text(last->seconds),
                     "p-value");
  const std::vector<const Moment*> stems = all_or_lowest(moments, x, false, kStretches);
  std::string path;
  for (const Moment* moment : stems) {
    path += "M" + place_text(x.at(moment->seconds)) + " " + place_text(y.from) + "V" + place_text(y.at(moment->depth));
  }
  svg += "<path class=\"stems\" d=\"" + path + "\"/>";
  const auto* const alpha = std::get_if<Alpha>(&threshold);
  if (alpha != nullptr) {
    const double at = y.at(-std::log10(alpha->alpha));
    svg += line("limit", x.from, at, x.to, at);
  }
  for (const Moment* moment : all_or_lowest(moments, x, true, kMostFlagged)) {
    svg += "<circle class=\"hit\" cx=\"" + place_text(x.at(moment->seconds)) + "\" cy=\"" +
           place_text(y.at(moment->depth)) + "\" r=\"4\"><title>row " + with_commas(moment->row) + ", " +
           time_text(moment->seconds) + ": " + p_equals(verdicts[moment->row - 1].p_value) + "</title></circle>";
  }
  return "<figure>" + svg + "</svg>" + caption(moments.size(), stems.size(), alpha, deepest >= kSmallest) + "</figure>";
}

}  // namespace expose::cli

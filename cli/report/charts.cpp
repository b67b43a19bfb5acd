// similarity_chart, and what all charts ask of verdicts.
#include "cli/report/charts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/report/axis.hpp"
#include "cli/report/html.hpp"
#include "cli/report/scale.hpp"
#include "cli/report/svg.hpp"

namespace expose::cli {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Bins {
  double low = 0.0;
  double width = 1.0;
  std::vector<std::size_t> rows = {};
  std::vector<std::size_t> flagged = {};

  double edge(std::size_t i) const { return low + width * static_cast<double>(i); }
};

// Bins that end at the threshold, so that none holds rows of both kinds.
Bins count_rows(std::span<const Verdict> verdicts, const SimilarityScale& scale, std::optional<double> threshold) {
  constexpr double kBins = 40;
  Bins bins{.low = scale.low, .width = (scale.high - scale.low) / kBins};
  if (threshold) {
    const double edge = scale.length(*threshold);
    bins.low = edge - std::ceil((edge - scale.low) / bins.width) * bins.width;
  }
  const auto count = static_cast<std::size_t>((scale.high - bins.low) / bins.width) + 1;
  bins.rows.resize(count);
  bins.flagged.resize(count);
  for (const Verdict& verdict : verdicts) {
    if (!is_judged(verdict)) continue;
    const double place = std::max(0.0, (scale.length(verdict.similarity) - bins.low) / bins.width);
    const std::size_t bin = std::min(static_cast<std::size_t>(place), count - 1);
    ++bins.rows[bin];
    if (verdict.anomalous) ++bins.flagged[bin];
  }
  return bins;
}

std::vector<std::size_t> spread(const std::vector<std::size_t>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(rows[i * rows.size() / most]);
  return some;
}

// How high a bar is. A few flagged rows beside many others are seen only on a logarithmic scale.
struct Heights {
  explicit Heights(std::size_t most_rows) : most(most_rows), logarithmic(most_rows > 200) {}

  std::size_t most;
  bool logarithmic;

  double of(std::size_t rows) const {
    return logarithmic ? std::log10(1.0 + static_cast<double>(rows)) : static_cast<double>(rows);
  }
  std::vector<Mark> marks() const {
    std::vector<Mark> marks;
    if (!logarithmic) {
      marks = round_marks(0, 1.05 * static_cast<double>(most), 4);
      std::erase_if(marks, [](const Mark& mark) { return mark.value != std::floor(mark.value); });
      return marks;
    }
    marks.push_back({0.0, "0"});
    for (std::size_t power = most > 600 ? 10 : 1; power <= most; power *= 10)
      marks.push_back({of(power), with_commas(power)});
    return marks;
  }
};

std::string bin_bars(const Bins& bins, std::size_t i, const SimilarityScale& scale, const Heights& heights,
                     const Axis& x, const Axis& y) {
  if (bins.rows[i] == 0) return "";
  const double left = x.at(bins.edge(i)) + 0.5, right = x.at(bins.edge(i + 1)) - 0.5;
  std::string svg = "<g><title>similarity " + number_text(scale.similarity(bins.edge(i)), 2) + " to " +
                    number_text(scale.similarity(bins.edge(i + 1)), 2) + ": " + counted(bins.rows[i], "row", "rows") +
                    ", " + with_commas(bins.flagged[i]) + " flagged</title>";
  if (bins.flagged[i] < bins.rows[i]) svg += bar("bar", left, right, y.at(heights.of(bins.rows[i])), y.from);
  if (bins.flagged[i] > 0) svg += bar("bar flag", left, right, y.at(heights.of(bins.flagged[i])), y.from);
  return svg + "</g>";
}

constexpr const char* kLegend =
    "<figcaption class=\"legend\"><span>The further left, the less like the rest.</span>"
    "<span class=\"key\"><i class=\"box flag\"></i>flagged</span>"
    "<span class=\"key\"><i class=\"box\"></i>not flagged</span></figcaption>";

}  // namespace

std::vector<std::size_t> rows_to_draw(std::span<const Verdict> verdicts, std::size_t most) {
  std::vector<std::size_t> flagged, others;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (is_judged(verdicts[i])) (verdicts[i].anomalous ? flagged : others).push_back(i);
  }
  const std::size_t room = std::max(most / 2, most - std::min(most, others.size()));
  std::vector<std::size_t> drawn = spread(flagged, room);
  const std::vector<std::size_t> rest = spread(others, most - drawn.size());
  drawn.insert(drawn.end(), rest.begin(), rest.end());
  std::ranges::sort(drawn);
  return drawn;
}

std::optional<double> similarity_between(std::span<const Verdict> verdicts) {
  double below = -kInfinity, above = kInfinity;
  for (const Verdict& verdict : verdicts) {
    if (!is_judged(verdict)) continue;
    if (verdict.anomalous) below = std::max(below, verdict.similarity);
    if (!verdict.anomalous) above = std::min(above, verdict.similarity);
  }
  if (!std::isfinite(below) || !std::isfinite(above) || below > above) return {};
  return below > 0 ? std::sqrt(below * above) : (below + above) / 2;
}

std::string similarity_chart(std::span<const Verdict> verdicts) {
  const std::optional<SimilarityScale> scale = scale_of(verdicts);
  if (!scale) return "";
  const std::optional<double> threshold = similarity_between(verdicts);
  const Bins bins = count_rows(verdicts, *scale, threshold);
  const Heights heights(*std::ranges::max_element(bins.rows));
  const Frame frame{.height = 280};
  const Axis x = frame.x_axis(bins.low, bins.edge(bins.rows.size()));
  const Axis y = frame.y_axis(0, 1.05 * heights.of(heights.most));
  std::string svg = open_svg(frame, "How many rows have which similarity");
  svg += y_marks(frame, y, heights.marks());
  svg += x_marks(frame, x, scale->logarithmic ? power_marks(x.low, x.high, 7) : round_marks(x.low, x.high, 7));
  svg += axis_titles(frame, scale->logarithmic ? "similarity, logarithmic" : "similarity",
                     heights.logarithmic ? "rows, logarithmic" : "rows");
  for (std::size_t i = 0; i < bins.rows.size(); ++i) svg += bin_bars(bins, i, *scale, heights, x, y);
  if (threshold) {
    const double at = x.at(scale->length(*threshold));
    const bool room_left = at > frame.width / 2;
    svg += line("limit", at, y.from, at, frame.top - 10);
    svg += text_at(room_left ? "note end" : "note", room_left ? at - 6 : at + 6, frame.top - 2,
                   "threshold " + number_text(*threshold, 2));
  }
  return "<figure>" + svg + "</svg>" + kLegend + "</figure>";
}

}  // namespace expose::cli

// picture_chart: the rows as points.
#include <algorithm>
#include <cmath>

#include "cli/report/axis.hpp"
#include "cli/report/charts.hpp"
#include "cli/report/html.hpp"
#include "cli/report/scale.hpp"
#include "cli/report/svg.hpp"

namespace expose::cli {

namespace {

constexpr double kTallest = 440;  // of the field, in units of the drawing
constexpr double kShortest = 200;
constexpr double kPad = 14;

// Points that have a place, as many as are drawn; flagged ones last, so that nothing covers them.
std::vector<const ReportPoint*> points_of(const ReportPicture& picture) {
  std::vector<const ReportPoint*> placed, drawn;
  std::vector<Verdict> verdicts;
  for (const ReportPoint& point : picture.points) {
    if (!std::isfinite(point.at.x) || !std::isfinite(point.at.y)) continue;
    placed.push_back(&point);
    verdicts.push_back(point.verdict);
  }
  for (const std::size_t i : rows_to_draw(verdicts)) drawn.push_back(placed[i]);
  std::ranges::stable_partition(drawn, [](const ReportPoint* point) { return !point->verdict.anomalous; });
  return drawn;
}

struct Field {
  Frame frame;
  Axis x, y;
};

// As high as the points need: both axes have one unit of length.
Field field_of(const std::vector<const ReportPoint*>& points) {
  const auto [left, right] = std::ranges::minmax(points, {}, [](const auto* point) { return point->at.x; });
  const auto [bottom, top] = std::ranges::minmax(points, {}, [](const auto* point) { return point->at.y; });
  const double wide = right->at.x - left->at.x, tall = top->at.y - bottom->at.y;
  const double middle_x = left->at.x + wide / 2, middle_y = bottom->at.y + tall / 2;
  Frame frame{.left = 0, .right = 0, .top = 30, .bottom = 34};
  const double room = frame.width - frame.left - frame.right;
  const double unit = std::max({wide / (room - 2 * kPad), tall / (kTallest - 2 * kPad), 1e-12});
  const double height = std::clamp(tall / unit + 2 * kPad, kShortest, kTallest);
  frame.height = frame.top + frame.bottom + height;
  return {frame, frame.x_axis(middle_x - unit * room / 2, middle_x + unit * room / 2),
          frame.y_axis(middle_y - unit * height / 2, middle_y + unit * height / 2)};
}

std::string circle(const ReportPoint& point, const Field& field, const SimilarityScale& scale, bool linked) {
  const Verdict& verdict = point.verdict;
  return "<circle" + (linked ? " id=\"p" + std::to_string(point.row) + "\"" : std::string()) + " class=\"s" +
         std::to_string(scale.shade(verdict.similarity)) + (verdict.anomalous ? " ring" : "") + "\" cx=\"" +
         place_text(field.x.at(point.at.x)) + "\" cy=\"" + place_text(field.y.at(point.at.y)) + "\" r=\"" +
         (verdict.anomalous ? "4.5" : "3") + "\"><title>row " + with_commas(point.row) + ": similarity " +
         similarity_text(verdict.similarity, 2) + ", " + p_equals(verdict.p_value) + "</title></circle>";
}

}  // namespace

std::vector<std::size_t> rows_drawn(const ReportPicture& picture) {
  std::vector<std::size_t> rows;
  for (const ReportPoint* point : points_of(picture)) rows.push_back(point->row);
  std::ranges::sort(rows);
  return rows;
}

std::string picture_chart(const ReportPicture& picture, std::span<const Verdict> verdicts,
                          std::span<const std::size_t> linked) {
  const std::optional<SimilarityScale> scale = scale_of(verdicts);
  const std::vector<const ReportPoint*> points = points_of(picture);
  if (points.empty() || !scale) return "";
  const Field field = field_of(points);
  std::string svg = open_svg(field.frame, "The rows in the plane of their first two principal components");
  svg += bar("ground", field.x.from, field.x.to, field.y.to, field.y.from);
  svg += text_at("axis end", field.x.to, field.frame.height - 12,
                 "first component (" + percent_text(picture.variance[0]) + " of the variance) →");
  svg += text_at("axis", field.x.from, 18, "↑ second component (" + percent_text(picture.variance[1]) + ")");
  for (const ReportPoint* point : points) {
    svg += circle(*point, field, *scale, std::ranges::find(linked, point->row) != linked.end());
  }
  return "<figure>" + svg + "</svg>" + shade_legend() + "</figure>";
}

}  // namespace expose::cli

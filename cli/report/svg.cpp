#include "cli/report/svg.hpp"

#include "cli/report/charts.hpp"
#include "cli/report/html.hpp"

namespace expose::cli {

namespace {

std::string attribute(std::string_view name, double place) {
  return " " + std::string(name) + "=\"" + place_text(place) + "\"";
}

std::string style_of(std::string_view style) { return " class=\"" + std::string(style) + "\""; }

}  // namespace

std::string open_svg(const Frame& frame, std::string_view title) {
  return "<svg role=\"img\" aria-label=\"" + std::string(title) + "\" viewBox=\"0 0 " + place_text(frame.width) + " " +
         place_text(frame.height) + "\">";
}

std::string text_at(std::string_view style, double x, double y, std::string_view text) {
  return "<text" + style_of(style) + attribute("x", x) + attribute("y", y) + ">" + std::string(text) + "</text>";
}

std::string line(std::string_view style, double x1, double y1, double x2, double y2) {
  return "<line" + style_of(style) + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
         attribute("y2", y2) + "/>";
}

std::string bar(std::string_view style, double left, double right, double top, double bottom) {
  return "<rect" + style_of(style) + attribute("x", left) + attribute("y", top) + attribute("width", right - left) +
         attribute("height", bottom - top) + "/>";
}

std::string x_marks(const Frame& frame, const Axis& axis, const std::vector<Mark>& marks) {
  const double bottom = frame.height - frame.bottom;
  std::string svg = line("base", frame.left, bottom, frame.width - frame.right, bottom);
  for (const Mark& mark : marks) {
    const double at = axis.at(mark.value);
    svg += line("base", at, bottom, at, bottom + 5) + text_at("tick middle", at, bottom + 23, mark.text);
  }
  return svg;
}

std::string y_marks(const Frame& frame, const Axis& axis, const std::vector<Mark>& marks) {
  std::string svg;
  for (const Mark& mark : marks) {
    const double at = axis.at(mark.value);
    svg += line("grid", frame.left, at, frame.width - frame.right, at) +
           text_at("tick end", frame.left - 8, at + 4, mark.text);
  }
  return svg;
}

std::string axis_titles(const Frame& frame, std::string_view x, std::string_view y) {
  return text_at("axis", frame.left, frame.height - 8, x) + text_at("axis", 0, 16, y);
}

std::string shade_legend() {
  std::string html = "<figcaption class=\"legend\"><span>like the rest</span><svg class=\"shades\" viewBox=\"0 0 " +
                     std::to_string(18 * kShades) + " 14\" aria-hidden=\"true\">";
  for (std::size_t i = 0; i < kShades; ++i) {
    html += "<rect class=\"s" + std::to_string(i) + "\" x=\"" + std::to_string(18 * i) +
            "\" y=\"0\" width=\"18\" height=\"14\"/>";
  }
  return html + "</svg><span>unlike</span><span class=\"key\"><i class=\"ringed\"></i>flagged</span></figcaption>";
}

}  // namespace expose::cli

// The parts that the drawings of a report share: a frame with axes, bars, lines, texts.
//
// Texts are ready to be written: escaped by the caller where they come from data. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/axis.hpp"

namespace expose::cli {

// A drawing of so many units, and the room around the field where the data is.
struct Frame {
  double width = 720;
  double height = 260;
  double left = 58;
  double right = 16;
  double top = 34;
  double bottom = 58;

  Axis x_axis(double low, double high) const { return {low, high, left, width - right}; }
  Axis y_axis(double low, double high) const { return {low, high, height - bottom, top}; }
};

// Open: the caller ends it with </svg>.
std::string open_svg(const Frame& frame, std::string_view title);
std::string text_at(std::string_view style, double x, double y, std::string_view text);
std::string line(std::string_view style, double x1, double y1, double x2, double y2);
std::string bar(std::string_view style, double left, double right, double top, double bottom);
// Numbers under the field, and a line across it for each number beside it.
std::string x_marks(const Frame& frame, const Axis& axis, const std::vector<Mark>& marks);
std::string y_marks(const Frame& frame, const Axis& axis, const std::vector<Mark>& marks);
std::string axis_titles(const Frame& frame, std::string_view x, std::string_view y);
// What the colours of points mean.
std::string shade_legend();

}  // namespace expose::cli

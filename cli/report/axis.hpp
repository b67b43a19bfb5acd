// Axis: where a value stands along a side of a drawing, and the round values worth a mark there.
//
// Plain values and pure functions.
#pragma once

#include <string>
#include <vector>

namespace expose::cli {

struct Axis {
  double low = 0.0;  // values, low < high
  double high = 1.0;
  double from = 0.0;  // places
  double to = 1.0;

  // Held at the ends; NaN stands at the low end.
  double at(double value) const;
};

struct Mark {
  double value = 0.0;
  std::string text;  // ready to be written
};

// About so many multiples of 1, 2 or 5 times a power of ten, from low to high.
std::vector<Mark> round_marks(double low, double high, std::size_t about);
// Low and high are logarithms to the base of 10: about so many whole ones, written as the numbers themselves.
std::vector<Mark> power_marks(double low, double high, std::size_t about);
// Low and high are seconds since 1970: full minutes, hours, days, months or years.
std::vector<Mark> time_marks(double low, double high, std::size_t about);
// 2014-03-05 14:05:30 (UTC); 00:00:00 is left out, and a dash stands for what no calendar has.
std::string time_text(double seconds);

}  // namespace expose::cli

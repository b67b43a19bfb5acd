// text: a number in an error sentence, as a person would type it: 0.01, not 0.010000; 3, not 3.000000.
//
// The shortest digits that read back as the same number. A pure function.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace expose {

inline std::string text(double number) {
  std::array<char, 32> digits{};  // the longest double, -2.2250738585072014e-308, has 24
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return std::string(digits.data(), written.ptr);
}

}  // namespace expose

// Text and numbers for an HTML page: hostile text made harmless, numbers as a person would write them.
//
// Everything returned may stand between tags and in quoted attributes. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/console.hpp"  // with_commas, counted

namespace expose::cli {

// & < > " ' as entities. What is no UTF-8, control characters and those that turn the direction of writing become
// U+FFFD: a page is not to show anything else than its bytes say.
std::string escaped(std::string_view text);

// Escaped, and a text of more than `most` characters cut there, or where it has twice as many bytes: wide characters
// and entities count more.
std::string shortened(std::string_view text, std::size_t most);
// The same for a place where a <span> may stand, which is not inside a drawing: more of the text is in its title.
std::string cut(std::string_view text, std::size_t most);

// Some significant digits: 0.0123, 12.3, 1,230, 1.2×10⁻⁷. What is not finite is a dash.
std::string number_text(double number, int digits = 3);
// The same of a similarity: 0 where it is rounding alone.
std::string similarity_text(double similarity, int digits = 3);
// A text whose long fractions are rounded to six digits: "bandwidth 1.5022697712763728" has 1.50227. Not escaped.
std::string with_short_numbers(std::string_view text);
// Two digits: 0.0003, 2.1×10⁻⁷, <10⁻³⁰⁰.
std::string p_text(double p_value);
// p = 0.0003, p < 10⁻³⁰⁰
std::string p_equals(double p_value);
// 10 to a whole power: 10⁻⁷
std::string power_text(int exponent);
// Of a share: 62 %, 0.4 %, <0.1 %.
std::string percent_text(double share);
// A place in a drawing: one digit behind the point. What is not finite is 0.
std::string place_text(double place);

}  // namespace expose::cli

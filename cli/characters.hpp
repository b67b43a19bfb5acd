// Hostile text made harmless for people: values and names come from files that anybody may have written.
//
// Control characters (they move cursors and colours of a terminal), those that turn the direction of writing, and bytes
// that are no UTF-8 are shown as U+FFFD. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace expose::cli {

inline constexpr std::string_view kReplacement = "\uFFFD";

struct Character {
  char32_t code = 0xFFFD;
  std::size_t bytes = 1;
};
// The character at the front; U+FFFD for a byte that begins none. REQUIRES: !text.empty()
Character first_character(std::string_view text);
// Whether it shows as it is; line ends and tabs do.
bool is_harmless(Character character);

// For lines on a terminal.
std::string harmless(std::string_view text);
// For a cell of a table: line ends and tabs become blanks.
std::string harmless_cell(std::string_view text);

}  // namespace expose::cli

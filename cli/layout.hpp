// Text in columns: padding, wrapping, tables, bars. Widths count characters, not bytes. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace expose::cli {

// How many characters UTF-8 has; escape sequences for colours have none.
std::size_t width_of(std::string_view text);
// Filled up with blanks on the right, or on the left; never cut.
std::string padded(const std::string& text, std::size_t width);
std::string right(const std::string& text, std::size_t width);
// Cut to so many characters, the last of them then a mark for it.
std::string cut(const std::string& text, std::size_t width);
// Broken between words into lines of at most so many characters, to which all but the first get an indent.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

// A table with a heading, numbers to the right. The last column is cut where the whole would be wider than `width`.
struct TextTable {
  struct Heading {
    std::string text;
    bool to_the_right = false;
  };
  std::vector<Heading> headings;
  std::vector<std::vector<std::string>> rows = {};

  // heading: what is done to its line, such as making it bold.
  template <class Paint>
  std::string str(std::size_t width, const Paint& heading) const {
    std::string text;
    const std::vector<std::string> lines = this->lines(width);
    for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? heading(lines[i]) : lines[i]) + "\n";
    return text;
  }
  std::vector<std::string> lines(std::size_t width) const;
};

// A bar of at most `width` characters, in eighths of one: share in [0, 1].
std::string bar(double share, std::size_t width);

}  // namespace expose::cli

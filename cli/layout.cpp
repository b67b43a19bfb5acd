#include "cli/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace expose::cli {

namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

constexpr std::string_view kGap = "  ";

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size());
    } else if (begins_character(text[i])) {
      ++width;
    }
  }
  return width;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, width_of(text)), ' ') + text;
}

std::string cut(const std::string& text, std::size_t width) {
  if (width_of(text) <= width || width == 0) return text;
  std::size_t at = 0, characters = 0;
  for (; at < text.size() && characters < width; ++at) characters += begins_character(text[at]) ? 1 : 0;
  return text.substr(0, at - 1) + "\u2026";
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out, line;
  const auto end_line = [&] {
    out += (out.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
    line.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && width_of(line) + 1 + width_of(word) > width) end_line();
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  end_line();
  return out;
}

std::vector<std::string> TextTable::lines(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const Heading& heading : headings) widths.push_back(width_of(heading.text));
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t c = 0; c < headings.size(); ++c) {
      const bool last = c + 1 == headings.size();
      if (c > 0) text += kGap;
      if (headings[c].to_the_right) {
        text += right(cell(c), widths[c]);
      } else {
        const std::size_t room = width - std::min(width, width_of(text));
        text += last ? cut(cell(c), std::max(room, std::size_t{8})) : padded(cell(c), widths[c]);
      }
    }
    return text;
  };
  std::vector<std::string> lines = {line([&](std::size_t c) { return headings[c].text; })};
  for (const std::vector<std::string>& row : rows) lines.push_back(line([&](std::size_t c) { return row[c]; }));
  return lines;
}

std::string bar(double share, std::size_t width) {
  static constexpr std::array<const char*, 8> kEighths = {"",       "\u258f", "\u258e", "\u258d",
                                                          "\u258c", "\u258b", "\u258a", "\u2589"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "\u2588";
  return text + kEighths[eighths % 8];
}

}  // namespace expose::cli

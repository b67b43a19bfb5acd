#include "io/text_format.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"
#include "expose/encode/nearest.hpp"

namespace expose::io {

void cut_lines(std::span<const char> bytes, std::size_t piece, std::vector<std::size_t>& ends) {
  const char* const data = bytes.data();
  std::size_t begin = 0;
  while (bytes.size() - begin > piece) {
    const std::size_t from = begin + piece - 1;
    const void* const newline = std::memchr(data + from, '\n', bytes.size() - from);
    if (newline == nullptr) break;
    begin = static_cast<std::size_t>(static_cast<const char*>(newline) - data) + 1;
    ends.push_back(begin);
  }
  const std::size_t last = std::string_view(data, bytes.size()).substr(begin).rfind('\n');
  if (last != std::string_view::npos) ends.push_back(begin + last + 1);
}

// A row of k columns has k bytes or more. Without that a file of short lines under a long header would take memory.
std::size_t rows_in(std::span<const char> piece, std::size_t columns) {
  constexpr std::size_t kStep = 255;  // so that a byte counts them, which is how compilers do sixteen at a time
  const std::size_t most = piece.size() / std::max<std::size_t>(1, columns) + 1;
  std::size_t lines = 0;
  while (!piece.empty()) {
    const auto some = piece.first(std::min(kStep, piece.size()));
    std::uint8_t newlines = 0;
    for (const char c : some) newlines = static_cast<std::uint8_t>(newlines + (c == '\n' ? 1 : 0));
    lines += newlines;
    piece = piece.subspan(some.size());
  }
  return std::min(lines, most);
}

void require_modest(std::size_t columns) {
  if (columns <= kMostColumns) return;
  throw Error(Code::corrupt, "it has " + std::to_string(columns) + " columns or more, at most " +
                                 std::to_string(kMostColumns) + " are read");
}

std::vector<std::string> told_apart(std::vector<std::string> names) {
  require_modest(names.size());
  std::unordered_map<std::string, std::size_t> times;  // that a name came; one that was made is there too
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::string name = as_utf8(names[c]);
    if (name.empty()) name = column_without_name(c);
    names[c] = name;
    while (times.contains(names[c])) names[c] = name + "." + std::to_string(++times[name]);
    times.emplace(names[c], 1);
  }
  return names;
}

}  // namespace expose::io

#include "expose/encode/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace expose {

namespace {

constexpr std::size_t kLongest = 200;  // letters that are compared: names come from files

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Levenshtein's distance, with one row of its table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchange = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchange, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view wanted, std::span<const std::string> names) {
  wanted = wanted.substr(0, kLongest);
  std::size_t best = std::min((wanted.size() + 1) / 2 + 1, wanted.size());
  const std::string* found = nullptr;
  for (const std::string& name : names) {
    const std::size_t d = distance(wanted, std::string_view(name).substr(0, kLongest));
    if (d >= best) continue;
    best = d;
    found = &name;
  }
  return found != nullptr ? *found : std::string();
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names) {
  const std::string name = nearest(wanted, names);
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

}  // namespace expose

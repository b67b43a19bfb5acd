#include "expose/encode/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

#include "expose/encode/field.hpp"

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

// Whether these are no names: made up for want of any, or a row of numbers that was taken for the header.
bool are_without_header(std::span<const std::string> names) {
  std::size_t made_up = 0, numbers = 0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    made_up += names[c] == column_without_name(c) ? 1 : 0;
    numbers += is_number(names[c]) ? 1 : 0;
  }
  return made_up == names.size() || numbers == names.size();
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

std::string column_without_name(std::size_t column) { return "column_" + std::to_string(column + 1); }

std::string no_column(std::string_view wanted, std::span<const std::string> names) {
  const std::string sentence =
      "there is no column '" + std::string(wanted) + "' among the " + std::to_string(names.size()) + " there are";
  if (const std::string counted = "column_" + std::string(wanted); std::ranges::find(names, counted) != names.end()) {
    return sentence + "; did you mean '" + counted + "'?";
  }
  const bool numbered = is_number(wanted) || wanted.starts_with("column_");
  if (names.empty() || numbered || !are_without_header(names)) return sentence + did_you_mean(wanted, names);
  return sentence + "; the table seems to have no header, its columns are called '" + names.front() +
         (names.size() > 1 ? "' to '" + names.back() : "") + "'";
}

}  // namespace expose

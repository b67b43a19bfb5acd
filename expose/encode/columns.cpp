#include "expose/encode/columns.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"
#include "expose/encode/nearest.hpp"

namespace expose {

namespace {

constexpr std::array<const char*, 6> kRoles = {"number", "category", "time", "id", "label", "ignored"};
constexpr std::array<const char*, Columns::kTimeNumbers> kTimeParts = {"hour, cos", "hour, sin", "weekday, cos",
                                                                       "weekday, sin"};

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Code::invalid_argument, sentence); }

void require_ascending(const std::vector<std::string>& values, const Column& column) {
  const auto at = std::ranges::adjacent_find(values, std::ranges::greater_equal());
  if (at != values.end()) {
    refuse("column '" + column.name + "' has '" + *(at + 1) + "' after '" + *at + "' among its values");
  }
}

void require_valid_column(const Column& column) {
  if (column.name.empty()) refuse("a column has an empty name");
  if (column.role > Role::ignored) refuse("column '" + column.name + "' has no known role");
  const bool has_values = !column.levels.empty() || column.has_rare();
  if (column.role == Role::category) {
    if (!has_values) refuse("category '" + column.name + "' has no levels");
    if (column.open && !column.rare.empty()) refuse("category '" + column.name + "' is open and lists rare values");
    require_ascending(column.levels, column);
    require_ascending(column.rare, column);
    std::vector<std::string> both;
    std::ranges::set_intersection(column.levels, column.rare, std::back_inserter(both));
    if (!both.empty()) refuse("'" + both.front() + "' of column '" + column.name + "' is a level and rare");
  } else if (has_values) {
    refuse("column '" + column.name + "' has levels, but is no category");
  }
}

bool is_text(Role role) {
  return role == Role::category || role == Role::time || role == Role::id || role == Role::label;
}

}  // namespace

std::string name(Role role) { return kRoles.at(static_cast<std::size_t>(role)); }

std::size_t width(const Column& column) {
  switch (column.role) {
    case Role::number:
      return 1;
    case Role::category:
      return column.levels.size() + (column.has_rare() ? 1 : 0);
    case Role::time:
      return Columns::kTimeNumbers;
    default:
      return 0;
  }
}

Columns::Columns(std::vector<Column> columns) : columns_(std::move(columns)) {
  std::unordered_set<std::string_view> names;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    require_valid_column(column);
    if (!names.insert(column.name).second) refuse("there are two columns '" + column.name + "'");
    first_.push_back(owner_.size());
    owner_.insert(owner_.end(), expose::width(column), static_cast<std::uint32_t>(c));
  }
}

Columns Columns::numbers(std::size_t n) {
  std::vector<Column> columns;
  for (std::size_t c = 1; c <= n; ++c) columns.push_back({.name = "column_" + std::to_string(c)});
  return Columns(std::move(columns));
}

std::string Columns::number_name(std::size_t k) const {
  const Column& column = columns_[owner(k)];
  const std::size_t i = k - first_number(owner(k));
  if (column.role == Role::time) return column.name + " (" + kTimeParts.at(i) + ")";
  if (column.role == Role::category)
    return column.name + "=" + (i < column.levels.size() ? as_utf8(column.levels[i]) : "(rare)");
  return column.name;
}

std::vector<double> Columns::by_column(std::span<const double> per_number) const {
  if (per_number.size() != width()) {
    throw Error(Code::shape_mismatch, "there are " + std::to_string(per_number.size()) +
                                          " numbers to add up by column, the columns become " +
                                          std::to_string(width()));
  }
  std::vector<double> sums(columns_.size(), 0.0);
  for (std::size_t k = 0; k < width(); ++k) sums[owner(k)] += per_number[k];
  return sums;
}

Columns Columns::features() const {
  std::vector<Column> some;
  std::ranges::copy_if(columns_, std::back_inserter(some),
                       [](const Column& column) { return is_feature(column.role); });
  return Columns(std::move(some));
}

Columns::Match Columns::match(std::span<const std::string> header) const {
  std::unordered_map<std::string_view, std::size_t> where;
  for (std::size_t j = 0; j < header.size(); ++j) where.emplace(header[j], j);
  Match match{{std::vector<Place>(header.size()), width(), 0}, std::vector<std::size_t>(columns_.size(), kNowhere)};
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const auto found = where.find(column.name);
    if (found == where.end()) {
      if (!is_feature(column.role)) continue;
      throw Error(Code::not_found, no_column(column.name, header));
    }
    Place& place = match.layout.columns[found->second];
    if (column.role == Role::number) place = {Want::number, first_number(c)};
    if (is_text(column.role)) {
      match.text[c] = match.layout.texts++;
      place = {Want::text, match.text[c]};
    }
  }
  return match;
}

}  // namespace expose

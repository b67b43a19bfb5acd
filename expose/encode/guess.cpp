#include "expose/encode/guess.hpp"

#include <algorithm>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"
#include "expose/encode/nearest.hpp"
#include "expose/encode/time_of.hpp"

namespace expose {

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void require_names(const std::vector<std::string>& wanted, const std::vector<std::string>& names) {
  for (const std::string& name : wanted) {
    if (name.empty() || has(names, name)) continue;
    throw Error(Code::not_found, no_column(name, names));
  }
}

constexpr std::size_t kLongestNumber = 64;  // characters

// Where nine of ten values are numbers, the others are mistakes.
bool mostly(std::size_t part, std::size_t whole) { return part * 10 >= whole * 9; }

// A text is expected to be new as often as texts have come once (Good and Turing). If that is above 1 %, a new one is
// no news: it counts as rare.
bool brings_news(std::size_t once, std::size_t rows) { return once * 100 > rows; }

// 1,5: one comma, and a number if it were a point.
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.size() > kLongestNumber) return false;
  std::string with_point(text);
  with_point[comma] = '.';
  return is_number(with_point);
}

// 1 2.5 3: two numbers or more, and nothing else.
bool is_list_of_numbers(std::string_view text) {
  std::size_t numbers = 0;
  for (text = trimmed(text); !text.empty(); ++numbers) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (!is_number(text.substr(0, end))) return false;
    text = trimmed(text.substr(end));
  }
  return numbers > 1;
}

}  // namespace

ColumnGuesser::ColumnGuesser(std::vector<std::string> names, ColumnChoice choice)
    : names_(std::move(names)), choice_(std::move(choice)), seen_(names_.size()) {
  require_names({choice_.label, choice_.id, choice_.time}, names_);
  require_names(choice_.ignore, names_);
  require_names(choice_.columns, names_);
  require_names(choice_.category, names_);
}

void ColumnGuesser::look(const TableBlock& block, std::size_t most) {
  const std::size_t rows = std::min(most, block.rows());
  for (std::size_t c = 0; c < names_.size(); ++c) {
    Seen& seen = seen_[c];
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string_view text = block.text(i, c);
      double value = 0;
      const Field field = read_number(text, value);
      if (field == Field::missing) continue;
      const bool number = field != Field::other;
      if (number) seen.in_steps = seen.in_steps && (seen.numbers == 0 || value == seen.last + 1);
      seen.last = value;
      ++seen.values;
      seen.numbers += number ? 1 : 0;
      if (number) continue;
      seen.times += read_time(text) ? 1 : 0;
      seen.commas += has_decimal_comma(text) ? 1 : 0;
      seen.lists += names_.size() == 1 && is_list_of_numbers(text) ? 1 : 0;
    }
  }
}

Role ColumnGuesser::chosen(const std::string& name, Role otherwise) const {
  if (name == choice_.label) return Role::label;
  if (name == choice_.id && name != choice_.time) return Role::id;  // a time can name its row too
  if (has(choice_.ignore, name)) return Role::ignored;
  if (name == choice_.time) return Role::time;
  if (!choice_.columns.empty() && !has(choice_.columns, name)) return Role::ignored;
  return has(choice_.category, name) ? Role::category : otherwise;
}

bool ColumnGuesser::to_be_counted(std::size_t c) const {
  const Seen& seen = seen_[c];
  const Role guessed = seen.values == 0                    ? Role::ignored
                       : mostly(seen.numbers, seen.values) ? Role::number
                                                           : Role::category;
  return chosen(names_[c], guessed) == Role::category;
}

bool ColumnGuesser::wants_counts() const { return layout().texts > 0; }

Layout ColumnGuesser::layout() const {
  Layout layout;
  layout.columns.resize(names_.size());
  for (std::size_t c = 0; c < names_.size(); ++c) {
    if (to_be_counted(c)) layout.columns[c] = {Want::text, layout.texts++};
  }
  return layout;
}

void ColumnGuesser::count(const TableBlock& block, std::size_t most) {
  const std::size_t rows = std::min(most, block.rows());
  std::size_t t = 0;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    if (!to_be_counted(c)) continue;
    Seen& seen = seen_[c];
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string_view text = block.text(i, t);
      if (is_missing(text)) continue;
      ++seen.counted;
      if (text.size() > kLongestText) {
        ++seen.longer;
      } else if (const auto found = seen.counts.find(text); found != seen.counts.end()) {
        ++found->second;
      } else if (seen.counts.size() < kMostTexts) {
        seen.counts.emplace(text, 1);
      } else {
        seen.too_many = true;
      }
    }
    ++t;
  }
}

Column ColumnGuesser::category(std::size_t c) const {
  const Seen& seen = seen_[c];
  std::vector<std::pair<std::size_t, std::string_view>> values;
  std::size_t once = seen.longer;
  for (const auto& [text, count] : seen.counts) {
    values.emplace_back(count, text);
    once += count == 1 ? 1 : 0;
  }
  std::ranges::sort(values,
                    [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a < b; });
  const std::size_t least = std::max<std::size_t>(2, seen.counted / kLeastShare);
  Column column{.name = names_[c], .role = Role::category};
  std::size_t held = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool frequent = i < kMostLevels && values[i].first >= least;
    held += frequent ? values[i].first : 0;
    (frequent ? column.levels : column.rare).emplace_back(values[i].second);
  }
  column.open = seen.too_many || brings_news(once, seen.counted) || column.rare.size() > kMostRare;
  if (column.open) column.rare.clear();
  std::ranges::sort(column.levels);
  std::ranges::sort(column.rare);
  if (seen.too_many || 2 * held < seen.counted || column.levels.empty()) column.role = Role::ignored;
  return column;
}

Column ColumnGuesser::decide(std::size_t c, std::vector<std::string>& notes) const {
  const Seen& seen = seen_[c];
  const std::string& name = names_[c];
  const Role role = chosen(name, Role::number);
  if (role != Role::number && role != Role::category) return {.name = name, .role = role};
  const auto ignored = [&](const std::string& why) {
    notes.push_back("'" + name + "' is ignored: " + why);
    return Column{.name = name, .role = Role::ignored};
  };
  if (seen.values == 0) return ignored("it has no values");
  if (!to_be_counted(c)) {
    if (seen.in_steps && seen.numbers > 2) {
      notes.push_back("'" + name +
                      "' counts the rows; if it says nothing about them, make it the id (--id) or ignore it");
    }
    return {.name = name};
  }
  Column column = category(c);
  const bool forced = role == Role::category;
  if (forced && !column.levels.empty()) column.role = Role::category;
  if (column.role == Role::category) return column;
  if (!forced && 2 * seen.numbers >= seen.values) return {.name = name};  // better some bad rows than a lost column
  if (mostly(seen.times, seen.values)) return ignored("it looks like a time; --time " + name + " makes use of it");
  return ignored(seen.too_many ? "more than " + std::to_string(kMostTexts) + " different texts"
                               : std::to_string(seen.counts.size() + seen.longer) + " different texts in " +
                                     std::to_string(seen.counted) + " rows");
}

// What makes texts of numbers.
void ColumnGuesser::note_oddities(std::vector<std::string>& notes) const {
  std::size_t with_comma = 0;
  std::string first;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    const Seen& seen = seen_[c];
    if (seen.values == 0 || chosen(names_[c], Role::number) != Role::number) continue;
    if (seen.commas > 0 && mostly(seen.commas + seen.numbers, seen.values) && with_comma++ == 0) first = names_[c];
    if (mostly(seen.lists, seen.values)) {
      notes.push_back(
          "only one column was found, and its values are numbers with blanks between them; if a blank is the "
          "delimiter, say --delimiter ' ' (where there are several in a row, make one of them: tr -s ' ')");
    }
  }
  if (with_comma == 0) return;
  const std::string others = with_comma == 1   ? " has"
                             : with_comma == 2 ? " and another column have"
                                               : " and " + std::to_string(with_comma - 1) + " other columns have";
  notes.push_back("'" + first + "'" + others +
                  " numbers with a decimal comma, which are texts here; write 1.5 for 1,5");
}

Guess ColumnGuesser::guess() const {
  Guess guess;
  std::vector<Column> columns;
  for (std::size_t c = 0; c < names_.size(); ++c) columns.push_back(decide(c, guess.notes));
  note_oddities(guess.notes);
  for (Column& column : columns) {
    if (column.role == Role::category) continue;
    column.levels.clear();
    column.rare.clear();
    column.open = false;
  }
  guess.columns = Columns(std::move(columns));
  return guess;
}

}  // namespace expose

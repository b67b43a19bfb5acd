#include "expose/encode/encoder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "expose/base/math.hpp"
#include "expose/encode/field.hpp"
#include "expose/encode/time_of.hpp"

namespace expose {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnseen = -1.0;  // see Column

}  // namespace

Encoder::Encoder(Columns columns, std::span<const std::string> header)
    : columns_(std::move(columns)), match_(columns_.match(header)), levels_(columns_.all().size()) {
  for (std::size_t c = 0; c < columns_.all().size(); ++c) {
    const Column& column = columns_.all()[c];
    if (column.role == Role::category || column.role == Role::time) encoded_.push_back(c);
    for (std::size_t i = 0; i < column.levels.size(); ++i) levels_[c].emplace(column.levels[i], i);
    for (const std::string& rare : column.rare) levels_[c].emplace(rare, column.levels.size());
  }
}

void Encoder::encode(TableBlock& block) const {
  if (encoded_.empty()) return;
  std::size_t bad = 0;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    while (bad < block.bad().size() && block.bad()[bad].row < i) ++bad;
    if (bad < block.bad().size() && block.bad()[bad].row == i) continue;
    double* const row = block.numbers(i);
    for (const std::size_t c : encoded_) {
      const std::string_view text = block.text(i, match_.text[c]);
      double* const numbers = row + columns_.first_number(c);
      if (columns_.all()[c].role == Role::category) {
        encode_category(c, text, numbers);
      } else if (!encode_time(text, numbers)) {
        block.mark_bad(i, "column '" + columns_.all()[c].name + "': " + in_quotes(text) + " is no time");
        break;
      }
    }
  }
}

void Encoder::encode_category(std::size_t c, std::string_view text, double* numbers) const {
  const Column& column = columns_.all()[c];
  const std::size_t n = width(column);
  const auto found = levels_[c].find(text);
  if (found != levels_[c].end()) {
    std::fill_n(numbers, n, 0.0);
    numbers[found->second] = 1.0;
  } else if (is_missing(text)) {
    std::fill_n(numbers, n, kMissing);
  } else if (column.open) {
    std::fill_n(numbers, n, 0.0);
    numbers[n - 1] = 1.0;
  } else {
    std::fill_n(numbers, n, kUnseen);
  }
}

bool encode_time(std::string_view text, double* numbers) {
  if (is_missing(text)) {
    std::fill_n(numbers, Columns::kTimeNumbers, kMissing);
    return true;
  }
  const auto clock = read_time(text);
  if (!clock) return false;
  numbers[0] = portable::cos_turns(clock->day);
  numbers[1] = portable::sin_turns(clock->day);
  numbers[2] = portable::cos_turns(clock->week);
  numbers[3] = portable::sin_turns(clock->week);
  return true;
}

}  // namespace expose

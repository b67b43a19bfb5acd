#include "expose/encode/table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "expose/base/error.hpp"

namespace expose {

namespace {

constexpr std::size_t kFirstRows = 256;
// A block may grow to so many bytes for each of its text, or as many as small blocks need.
constexpr std::size_t kMostForAByte = 1024, kSmall = std::size_t{64} << 20;

}  // namespace

Layout all_texts(std::size_t columns) {
  Layout layout;
  for (std::size_t c = 0; c < columns; ++c) layout.columns.push_back({Want::text, c});
  layout.texts = columns;
  return layout;
}

void require_valid(const Layout& layout, std::size_t columns) {
  if (layout.columns.size() != columns) {
    throw Error(Code::invalid_argument, "the layout is for " + std::to_string(layout.columns.size()) +
                                            " columns, the table has " + std::to_string(columns));
  }
  std::vector<bool> numbers(layout.width), texts(layout.texts);
  for (const Place& place : layout.columns) {
    if (place.want == Want::skip) continue;
    std::vector<bool>& taken = place.want == Want::number ? numbers : texts;
    const std::string what = place.want == Want::number ? "number " : "text ";
    if (place.at >= taken.size()) {
      throw Error(Code::invalid_argument, "a column wants to be " + what + std::to_string(place.at) + " of a row of " +
                                              std::to_string(taken.size()) + ", counted from 0");
    }
    if (taken[place.at]) {
      throw Error(Code::invalid_argument, "two columns want to be " + what + std::to_string(place.at) + " of a row");
    }
    taken[place.at] = true;
  }
}

void TableBlock::begin(const Layout& layout, std::size_t text_bytes, std::size_t rows) {
  if (layout.width != width_ || layout.texts != texts_a_row_) capacity_ = 0;
  width_ = layout.width;
  texts_a_row_ = layout.texts;
  rows_ = 0;
  bad_.clear();
  arena_used_ = 0;
  most_bytes_ = std::max(kSmall, kMostForAByte * text_bytes);
  if (layout.texts > 0 && arena_.size() < text_bytes) arena_.resize(text_bytes);
  if (capacity_ < rows) set_capacity(rows);
}

void TableBlock::mark_bad(std::size_t i, std::string reason) {
  const auto at = std::ranges::lower_bound(bad_, i, {}, &Bad::row);
  if (at != bad_.end() && at->row == i) return;
  bad_.insert(at, {i, std::move(reason)});
  std::fill_n(numbers(i), width_, std::numeric_limits<double>::infinity());
}

bool TableBlock::is_bad(std::size_t i) const {
  const auto at = std::ranges::lower_bound(bad_, i, {}, &Bad::row);
  return at != bad_.end() && at->row == i;
}

void TableBlock::grow() {
  const std::size_t row_bytes = width_ * sizeof(double) + texts_a_row_ * sizeof(std::string_view) + 1;
  const std::size_t first = std::clamp(kSmall / 16 / row_bytes, std::size_t{1}, kFirstRows);
  const std::size_t rows = capacity_ > 0 ? 2 * capacity_ : first;
  if (rows > 2 && rows > most_bytes_ / row_bytes) {
    throw Error(Code::overflow, "more than " + std::to_string(rows_) + " rows of " +
                                    std::to_string(width_ + texts_a_row_) +
                                    " values in a few lines of text: they are far shorter than the first; is this one "
                                    "table?");
  }
  set_capacity(rows);
}

void TableBlock::set_capacity(std::size_t rows) {
  auto values = std::make_unique_for_overwrite<double[]>(rows * width_);  // NOLINT(modernize-avoid-c-arrays)
  if (rows_ > 0) std::copy_n(values_.get(), rows_ * width_, values.get());
  values_ = std::move(values);
  texts_.resize(rows * texts_a_row_);
  lines_.resize(rows);
  capacity_ = rows;
}

std::size_t TableBlock::bytes() const {
  std::size_t bytes = sizeof *this + capacity_ * width_ * sizeof(double) + texts_.capacity() * sizeof texts_[0] +
                      lines_.capacity() * sizeof lines_[0] + arena_.capacity() + bad_.capacity() * sizeof(Bad);
  for (const Bad& bad : bad_) bytes += bad.reason.capacity();
  return bytes;
}

// Numbers are moved only where that gives back an eighth of them.
void TableBlock::shrink() {
  if (capacity_ - rows_ > rows_ / 8) set_capacity(rows_);
  texts_.shrink_to_fit();
  lines_.shrink_to_fit();
  bad_.shrink_to_fit();
  if (arena_.size() == arena_used_) return;
  std::vector<char> arena(arena_.begin(), arena_.begin() + static_cast<std::ptrdiff_t>(arena_used_));
  for (std::string_view& text : std::span(texts_).first(rows_ * texts_a_row_)) {
    if (!text.empty()) text = {arena.data() + (text.data() - arena_.data()), text.size()};
  }
  arena_ = std::move(arena);
}

const char* TableBlock::copy(std::string_view text) {
  if (text.empty()) return nullptr;
  if (text.size() > arena_.size() - arena_used_) {
    throw Error(Code::overflow, "a block has room for " + std::to_string(arena_.size()) + " bytes of text, " +
                                    std::to_string(arena_used_ + text.size()) + " come");
  }
  char* const at = arena_.data() + arena_used_;
  std::memcpy(at, text.data(), text.size());
  arena_used_ += text.size();
  return at;
}

}  // namespace expose

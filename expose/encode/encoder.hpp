// Encoder: makes numbers of the texts of a block: categories become indicators, times become angles.
//
// What a row becomes depends on that row alone and is the same on every machine. Rows that cannot be encoded (a time
// that is none) are marked bad. Immutable; threads may encode different blocks with one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expose/encode/columns.hpp"
#include "expose/encode/table.hpp"
#include "expose/encode/text_map.hpp"

namespace expose {

class Encoder {
 public:
  // For files with this header. Throws as Columns::match does.
  Encoder(Columns columns, std::span<const std::string> header);

  const Columns& columns() const { return columns_; }
  // What the reader is to be asked for.
  const Layout& layout() const { return match_.layout; }
  // The place of column c among the texts of a row, or Columns::kNowhere. REQUIRES: c < columns().all().size()
  std::size_t text_of(std::size_t c) const { return match_.text[c]; }

  // Fills the numbers that the reader left. REQUIRES: a block of layout()
  void encode(TableBlock& block) const;

 private:
  void encode_category(std::size_t c, std::string_view text, double* numbers) const;

  Columns columns_;
  Columns::Match match_;
  std::vector<std::size_t> encoded_;          // columns that are categories or times
  std::vector<TextMap<std::size_t>> levels_;  // one a column: a value's indicator
};

// cos and sin of the time of day, cos and sin of the time of week; or false for a text that is no time.
bool encode_time(std::string_view text, double* numbers);

}  // namespace expose

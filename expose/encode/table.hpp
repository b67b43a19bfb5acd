// TableBlock: some records as a reader gives them: numbers in their final place, texts of the columns that asked for
// it, and which rows are bad.
//
// Numbers stand row after row, so a table of numbers goes to a detector without a copy: records(). A bad row keeps its
// place, so that row i of the block is data row first_row + i; all its numbers are infinite, and no detector learns it.
// Memory is kept when a block is used again. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expose/base/records.hpp"

namespace expose {

enum class Want : std::uint8_t { skip, number, text };

// What a reader does with a column of its file.
struct Place {
  Want want = Want::skip;
  std::size_t at = 0;  // which number, or which text, of the row
  bool operator==(const Place&) const = default;
};

// What becomes of the columns of a file. A number that no column fills is NaN until an encoder fills it.
struct Layout {
  std::vector<Place> columns;  // one a column of the file
  std::size_t width = 0;       // numbers a row
  std::size_t texts = 0;       // texts a row
  bool operator==(const Layout&) const = default;
};

// Every column as text: how one looks at a file of which nothing is known.
Layout all_texts(std::size_t columns);
// Throws Code::invalid_argument for another number of columns, a place outside the row, or one that is taken twice.
void require_valid(const Layout& layout, std::size_t columns);

class TableBlock {
 public:
  struct Bad {
    std::size_t row;  // in this block, counted from 0
    std::string reason;
    bool operator==(const Bad&) const = default;
  };

  // Where the block comes from; set by the reader.
  std::string file;
  std::size_t first_row = 1;   // the data row of row 0, across files, counted from 1
  std::size_t first_line = 0;  // where in the file the block begins, counted from 1; 0: the format has no lines
  bool open_end = false;       // the text of its last row ends with its file, not with a newline: more may come

  // Empties the block for rows of this shape, whose texts have at most so many bytes together. `rows`: how many will
  // come, if that is known; a block that grows takes more memory than it needs.
  void begin(const Layout& layout, std::size_t text_bytes, std::size_t rows = 0);
  // One row more, which stands `line` lines behind first_line. Its numbers are not set, its texts are empty. Throws
  // Code::overflow where more rows come than were said and they take a thousand times the memory of their text.
  double* add_row(std::size_t line) {
    if (rows_ == capacity_) grow();
    lines_[rows_] = static_cast<std::uint32_t>(line);
    for (std::size_t t = 0; t < texts_a_row_; ++t) texts_[rows_ * texts_a_row_ + t] = {};
    return values_.get() + width_ * rows_++;
  }
  // Copies the text. REQUIRES: i < rows(), t < texts a row, and text_bytes is kept to
  void set_text(std::size_t i, std::size_t t, std::string_view text) {
    texts_[i * texts_a_row_ + t] = {copy(text), text.size()};
  }
  // The first reason is kept. REQUIRES: i < rows()
  void mark_bad(std::size_t i, std::string reason);

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  // REQUIRES: i < rows(), t < texts a row
  double* numbers(std::size_t i) { return values_.get() + i * width_; }
  const double* numbers(std::size_t i) const { return values_.get() + i * width_; }
  std::string_view text(std::size_t i, std::size_t t) const { return texts_[i * texts_a_row_ + t]; }
  // Where row i begins in its file, counted from 1; 0 where the format has no lines.
  std::size_t line(std::size_t i) const { return first_line == 0 ? 0 : first_line + lines_[i]; }
  // Ascending.
  const std::vector<Bad>& bad() const { return bad_; }
  bool is_bad(std::size_t i) const;

  // The memory it takes, and giving back what of it is not used.
  std::size_t bytes() const;
  void shrink();

  // What a detector takes; a view of this block.
  Records records() const { return width_ == 0 ? Records() : Records(values_.get(), rows_, width_); }

 private:
  void grow();
  void set_capacity(std::size_t rows);
  const char* copy(std::string_view text);

  std::size_t rows_ = 0;
  std::size_t capacity_ = 0;  // rows
  std::size_t width_ = 0;
  std::size_t texts_a_row_ = 0;
  std::unique_ptr<double[]> values_;  // NOLINT(modernize-avoid-c-arrays): a vector would write zeros first
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> lines_;
  std::vector<char> arena_;
  std::size_t arena_used_ = 0;
  std::size_t most_bytes_ = 0;
  std::vector<Bad> bad_;
};

}  // namespace expose

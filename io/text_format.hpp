// TextFormat: what csv and ndjson have in common: records that end with a line, so that a file can be cut into pieces
// and the pieces be parsed side by side.
//
// Immutable; threads may share it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "expose/encode/table.hpp"

namespace expose::io {

// Parsers may read, not use, so many bytes behind a piece.
inline constexpr std::size_t kPadding = 64;

// More columns are a mistake, and would take memory to name.
inline constexpr std::size_t kMostColumns = std::size_t{1} << 20;
// Throws Code::corrupt for more.
void require_modest(std::size_t columns);

class TextFormat {
 public:
  virtual ~TextFormat() = default;

  const std::vector<std::string>& names() const { return names_; }
  // What stands before the first record.
  std::size_t skip_bytes() const { return skip_bytes_; }
  std::size_t skip_lines() const { return skip_lines_; }

  // Where to cut bytes that begin with a record: ends of records, about `piece` bytes apart, and the end of the last
  // whole record. final: no bytes will come after these that could end what is still open.
  virtual void cut(std::span<const char> bytes, std::size_t piece, bool final,
                   std::vector<std::size_t>& ends) const = 0;
  // Makes a block of a piece; returns how many lines it has. REQUIRES: the piece ends with a newline
  virtual std::size_t parse(std::span<const char> piece, const Layout& layout, TableBlock& block) const = 0;

 protected:
  std::vector<std::string> names_;
  std::size_t skip_bytes_ = 0;
  std::size_t skip_lines_ = 0;
};

// cut() for records that are lines, whatever is in them.
void cut_lines(std::span<const char> bytes, std::size_t piece, std::vector<std::size_t>& ends);

// As many rows as a piece of this many columns will hold, about: its lines, but no more than could be whole.
std::size_t rows_in(std::span<const char> piece, std::size_t columns);

// Names that can be told apart, in UTF-8: those that are empty become column_N, those that come again name.2, name.3,
// ...
std::vector<std::string> told_apart(std::vector<std::string> names);

}  // namespace expose::io

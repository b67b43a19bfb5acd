// TableSource: a TableReader as the Source of numbers that fit, learn and judge take; and guess_columns.
//
// Bad rows keep their place in the blocks, with infinite numbers that no detector learns; they are counted here, with
// their data row (from 1, across files), file, line and reason. One thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "expose/detector/source.hpp"
#include "expose/encode/encoder.hpp"
#include "expose/encode/guess.hpp"
#include "io/table_reader.hpp"

namespace expose::io {

struct BadRow {
  std::size_t row = 0;
  std::string file;
  std::size_t line = 0;  // 0: the format has no lines
  std::string reason;
  bool operator==(const BadRow&) const = default;
};

// "data.csv, line 7 (row 6): column 'amount': 'abc' is no number"
std::string sentence(const BadRow& bad);

class TableSource final : public Source {
 public:
  static constexpr std::size_t kMostKept = 1000;  // bad rows that are remembered; all are counted

  // The reader must outlive it and belongs to it; who reads on without it says expect() again.
  // keep_bytes: blocks are kept in memory while all that came, numbers and texts, take no more than that; going back to
  // them costs neither reading nor parsing, and works for pipes. Beyond it they are given up and the reader is rewound.
  // Rows, bad rows and counts are the same either way.
  // REQUIRES: the reader stands at its first row
  // Throws as Columns::match does if the file lacks a column.
  TableSource(TableReader& reader, const Columns& columns, std::size_t keep_bytes = 0);

  TableSource(const TableSource&) = delete;
  TableSource& operator=(const TableSource&) = delete;

  Records next() override;
  bool rewind() override;

  const Encoder& encoder() const { return encoder_; }
  // What next() gave last: ids, labels, row numbers, bad rows.
  const TableBlock& block() const { return *now_; }
  // Of the blocks that are kept; 0 where there are none.
  std::size_t kept_bytes() const { return kept_bytes_; }
  // Since the beginning or the last rewind.
  std::size_t rows() const { return rows_; }
  std::size_t bad_rows() const { return bad_rows_; }
  const std::vector<BadRow>& bad() const { return bad_; }

 private:
  void keep();
  void count();

  TableReader& reader_;
  Encoder encoder_;
  TableBlock block_;  // what the reader gave last, unless that is kept
  const TableBlock* now_ = &block_;
  std::size_t keep_bytes_;  // 0: no block is kept, or no more
  std::size_t kept_bytes_ = 0;
  std::deque<TableBlock> kept_;  // all that came; a deque does not move them
  std::size_t given_ = 0;        // of those kept, in this pass
  std::size_t rows_ = 0;
  std::size_t bad_rows_ = 0;
  std::vector<BadRow> bad_;
};

// What the columns are for: the first `looked_at` rows tell numbers from texts, and all rows which texts are categories
// (the same first rows where the reader cannot go back for ever). Leaves the reader at its first row.
// Throws Code::invalid_argument if there are no rows, or no column to learn from; Code::not_found for a chosen column
// that is not there.
Guess guess_columns(TableReader& reader, const ColumnChoice& choice = {}, std::size_t looked_at = 10000);

}  // namespace expose::io

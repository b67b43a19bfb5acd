// TableReader: a file, or several, as blocks of records; and open_table, which finds out what kind of file it is.
//
// csv and tsv, ndjson and npy, the text ones also packed as gz or zst. Memory does not grow with the file, and good
// rows are not lost because of a bad one: it is marked and stays in its place. Where reading fails in the middle (a
// packed file that was cut), the rows before are given first, and then an Error. What the blocks hold does not depend
// on the number of threads. One thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expose/base/pool.hpp"
#include "expose/encode/table.hpp"

namespace expose::io {

struct ReadOptions {
  Pool* pool = nullptr;                                 // parses; must outlive the reader. None: this thread alone
  std::optional<char> delimiter = {};                   // of csv; open: the one of , ; tab | that fits
  std::optional<bool> header = {};                      // whether csv has one; open: seen in its first rows
  std::size_t block_bytes = std::size_t{1} << 20;       // of text that make a block, about
  std::size_t most_line_bytes = std::size_t{16} << 20;  // a longer line is an error, not a question of memory
  std::size_t pipe_bytes = std::size_t{64} << 20;       // that are kept in memory of what comes through a pipe
  // The table will be read more than once: what comes through a pipe goes through an unlinked temporary file (TMPDIR,
  // else /tmp) beyond what is kept in memory, so rewind() always works. Rows may then wait for those behind them.
  bool again = false;
  // From when on this descriptor can be read, next() does not wait for a pipe any more: it gives the rows that have
  // come whole, and then throws Code::cancelled. -1: none.
  int stop = -1;
  // Counts the bytes that files give, packed as they are, in all passes: for those who show progress. Or none.
  std::atomic<std::uint64_t>* bytes_read = nullptr;
};

class TableReader {
 public:
  // Called for each block on the thread that parsed it: an encoder, say. Several threads may call it at once; it must
  // not throw.
  using Finish = std::function<void(TableBlock&)>;

  virtual ~TableReader() = default;
  // One a column, none of them empty or there twice: from the header, else column_1, column_2, ...
  virtual const std::vector<std::string>& names() const = 0;
  // For people: the file that is being read.
  virtual const std::string& file() const = 0;
  // What is wanted of the columns; from the beginning of the table on, so rewind() if rows were read already. Until it
  // is said, all columns are texts. Throws Code::invalid_argument for a layout of another number of columns.
  virtual void expect(const Layout& layout, Finish finish = {}) = 0;
  // The next rows, at least one; false at the end. Rows that have arrived through a pipe are not held back.
  virtual bool next(TableBlock& block) = 0;
  // Back to the first row, or false, and it goes on where it is: a pipe remembers its first pipe_bytes, no more, unless
  // it is to be read again. Throws Code::io for a file that was changed meanwhile.
  virtual bool rewind() = 0;
  // Whether rewind() will always work.
  virtual bool repeatable() const = 0;
  // From here on nobody goes back: what a pipe keeps for that, in memory or on disk, is given back as soon as it was
  // read. For those who read a stream for days; for files it changes nothing.
  virtual void no_rewind() {}
};

// Several files are one table, row after row. All of them must have the same columns, in any order: else an Error that
// names the difference. "-" is standard input; so is no path at all.
// Throws Code::io for what cannot be read, Code::corrupt for what is no table, with the path and what to do about it.
std::unique_ptr<TableReader> open_table(const std::vector<std::string>& paths, const ReadOptions& options = {});

}  // namespace expose::io

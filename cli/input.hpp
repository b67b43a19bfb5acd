// Input: the files of a command as a Source of numbers, with progress on a terminal and an account of bad rows.
//
// Opened first, then told which columns it has: guessed from the data, or those of a model. One thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/choices.hpp"
#include "cli/console.hpp"
#include "cli/output.hpp"
#include "expose/base/pool.hpp"
#include "expose/detector/plan.hpp"
#include "expose/detector/watcher.hpp"
#include "io/source.hpp"
#include "io/table_reader.hpp"

namespace expose::cli {

// How often the rows will be asked for. again: a pipe is kept, in a temporary file if it must be. stream: once, for
// days: nothing is kept, and no row waits for another.
enum class Reads { once, again, stream };

// Where a stream goes on.
struct Resume {
  std::size_t first_row = 1;  // the number of the first row that comes
  std::size_t told = 0;       // rows up to this one came before: of them nothing is said again
  int stop = -1;  // from when on this descriptor can be read, next() throws Code::cancelled and does not wait
};

class Input final : public Source {
 public:
  // what: the verb, for the line of progress.
  // Throws as open_table does, and CommandError if standard input is a terminal: nobody waits for a table to be typed.
  Input(const InputChoice& choice, Reads reads, Console& console, std::string what, const Resume& resume = {});

  // Guesses what the columns are for and takes them so; says what it ignores. missing: what becomes of rows with
  // missing values; where they are rejected, they are bad rows like others. If all rows are bad, the end of the first
  // pass is an Error with the first reason.
  const Columns& guess(Missing missing = Missing::integrate);
  // What the guess had to say.
  const std::vector<std::string>& notes() const { return notes_; }
  // Takes the columns of a model: by name; without names, in their order. What the choice says of id and label is
  // added. Throws CommandError where more was said of the columns, and it is not what the model was made with; `model`
  // is its name for that sentence.
  void take(const Plan& plan, const std::string& model = "the model");
  void take(const Watcher& watcher);
  void take(const Columns& columns, Missing missing = Missing::integrate);

  // Throws Code::io if a later pass has other rows than the first: whoever reads again has a verdict for each.
  Records next() override;
  bool rewind() override;

  const Columns& columns() const { return source_->encoder().columns(); }
  const TableBlock& block() const { return source_->block(); }
  // The number of row i of the block.
  std::size_t row(std::size_t i) const { return resume_.first_row - 1 + block().first_row + i; }
  bool has_id() const { return id_ != Columns::kNowhere; }
  bool has_label() const { return label_ != Columns::kNowhere; }
  // Of row i of the block; empty without such a column, and for bad rows.
  std::string_view id(std::size_t i) const;
  std::string_view label(std::size_t i) const;
  const std::string& label_name() const { return choice_.columns.label; }
  // The value of column c as it stands in the file, or as near as a number comes to that. REQUIRES: not a bad row
  std::string value(std::size_t i, std::size_t c) const;

  // Of the first pass.
  std::size_t rows() const { return rows_; }
  std::size_t bad_rows() const { return bad_rows_; }
  const std::vector<io::BadRow>& bad() const { return bad_; }
  // For people: "data.csv", "data.csv and 3 more", "standard input".
  std::string name() const;
  const std::vector<std::string>& files() const { return choice_.files; }
  io::TableReader& reader() { return *reader_; }
  Pool& pool() { return pool_; }

  // Says how many rows were bad, and the first of them; the exit code.
  int finish();

 private:
  void show_progress();
  std::string remaining(double seconds) const;
  void note_bad_rows();
  void note_bad_row(std::size_t i, const std::string& reason);
  void require_as_before(bool at_end);
  void require_good_rows() const;
  std::size_t text_of(Role role) const;

  InputChoice choice_;
  Reads reads_;
  Resume resume_;
  Console& console_;
  std::string what_;
  Pool pool_;
  std::unique_ptr<Output> rejects_;
  std::vector<std::string> notes_;
  std::size_t id_ = Columns::kNowhere;     // the place of the id among the texts of a row
  std::size_t label_ = Columns::kNowhere;  // likewise
  std::size_t rows_ = 0;
  std::size_t bad_rows_ = 0;
  std::vector<io::BadRow> bad_;
  bool guessed_ = false;
  Missing missing_ = Missing::integrate;
  std::size_t read_ = 0;                   // rows, in this pass
  std::optional<std::size_t> whole_pass_;  // rows of the first pass that came to the end
  bool first_pass_ = true;
  std::atomic<std::uint64_t> bytes_read_ = 0;  // of the files, in all passes
  std::uint64_t bytes_before_ = 0;             // this pass
  std::uint64_t bytes_ = 0;                    // the files have; 0: nobody knows
  std::chrono::steady_clock::time_point begin_;
  std::unique_ptr<io::TableReader> reader_;  // last: these use what stands above
  std::unique_ptr<io::TableSource> source_;
};

}  // namespace expose::cli

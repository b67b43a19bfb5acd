// WatchSession: one run of `watch`, from the first row to the summary.
//
// Verdicts leave before more input is waited for. The columns of a stream are not known at its first row: until they
// are, rows are answered from their texts alone. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/verdicts.hpp"
#include "cli/watch/stop_signals.hpp"
#include "cli/watch/watch.hpp"

namespace expose::cli {

class WatchSession {
 public:
  // Everything that is not moved must outlive it. options: of a watcher, if there is none to begin with.
  WatchSession(const WatchChoice& choice, const Options& options, Start start, Input& input, const StopSignals& signals,
               Console& console);

  // Until the end of the input, a signal, or a reader of the verdicts that goes away; then a checkpoint and a summary.
  // The exit code. Throws Error for what cannot be read or written; what cannot be read after a checkpoint of the rows
  // before. A checkpoint says nothing of verdicts that could not be written.
  int run();

 private:
  void open_output(bool has_id);
  void find_columns();
  bool answer_texts(const TableBlock& block);
  void watch_all();
  bool stopped() const;
  bool next();
  void watch_row(std::size_t i);
  JudgedRow judged(std::size_t i);
  void save_checkpoint();
  void require_old_rows() const;
  int finish();

  const WatchChoice& choice_;
  Options options_;
  Start start_;
  Input& input_;
  const StopSignals& signals_;
  Console& console_;
  Explain explain_;
  std::optional<Output> output_;
  std::optional<VerdictWriter> writer_;

  bool read_again_;                                            // by who goes on: the input is files
  std::size_t seen_;                                           // rows that the checkpoint had
  std::size_t last_ = 0;                                       // the last row that was read
  std::size_t end_ = std::numeric_limits<std::size_t>::max();  // rows behind this one are left alone
  std::vector<Status> answers_;                                // what the first rows were told, from their texts
  std::vector<Verdict> verdicts_;                              // of the block
  bool reader_gone_ = false;
  bool half_row_ = false;  // the last row may be one: no checkpoint holds it
  std::size_t saved_ = 0;  // rows that the last checkpoint of this run has
  std::size_t rows_ = 0;   // watched in this run
  std::size_t flagged_ = 0;
  std::size_t judged_ = 0;   // those that got a p-value
  double lowest_ = 1.0;      // of these
  std::size_t changed_ = 0;  // rows whose first answer would be another, now that the columns are known
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace expose::cli

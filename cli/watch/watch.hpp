// What `watch` was asked for, and what it begins with: nothing, the plan of a model, or a checkpoint.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/choices.hpp"
#include "cli/console.hpp"
#include "cli/input.hpp"
#include "expose/detector/file.hpp"
#include "expose/detector/watcher.hpp"

namespace expose::cli {

struct WatchChoice {
  InputChoice input;
  Options options;
  std::vector<std::string> said;  // names of the options of the plan that were given: "--memory"
  std::optional<double> alpha;
  OutputChoice output;
  std::string model;
  std::string checkpoint;
  std::optional<std::size_t> every;
};

struct Start {
  std::optional<Watcher> watcher;  // none: the columns have to be found out first
  bool goes_on = false;            // from a checkpoint, which counts the rows of this stream
  std::size_t seen() const { return goes_on ? watcher->seen() : 0; }
};

// Loads the checkpoint if it is there, else the model if one was named: that one counts anew. Throws as load does, also
// where a model was named and is not there; CommandError, naming the option, where what was said is not what they were
// made with.
Start begin_watch(const WatchChoice& choice);

// The options of a new plan, valid for a stream. Throws CommandError.
Options stream_options(const WatchChoice& choice);

// Says that a checkpoint is in use, from its making to its end: by an empty file beside it, since the checkpoint itself
// is replaced again and again, and is not there at first.
class CheckpointLock {
 public:
  // Throws Code::io if another process has it, or the folder cannot be written to.
  explicit CheckpointLock(const std::string& checkpoint);
  CheckpointLock(const CheckpointLock&) = delete;
  CheckpointLock& operator=(const CheckpointLock&) = delete;
  ~CheckpointLock();

 private:
  std::string path_;
  std::optional<UpdateLock> lock_;
};

// Whether all of the input lies in files, which hold the rows of the checkpoint too. A pipe comes once: it is taken to
// begin behind them.
bool holds_old_rows(const std::vector<std::string>& files);

}  // namespace expose::cli

// expose watch: a stream: each row is judged by the rows before it, then learned; one verdict a line, at once.
#include "cli/watch/watch.hpp"

#include <memory>

#include "cli/verbs.hpp"
#include "cli/watch/session.hpp"
#include "cli/watch/stop_signals.hpp"

namespace expose::cli {

namespace {

int watch(const WatchChoice& choice, Console& console) {
  if (choice.every && choice.checkpoint.empty()) throw CommandError("--every goes with --checkpoint FILE");
  if (choice.every && *choice.every == 0) throw CommandError("--every: a checkpoint comes every 1 row or more");
  const StopSignals signals;
  const Options options = stream_options(choice);
  std::optional<CheckpointLock> lock;
  if (!choice.checkpoint.empty()) lock.emplace(choice.checkpoint);
  Start start = begin_watch(choice);
  bool opened = false;
  try {
    const std::size_t seen = start.seen();
    const bool skip = holds_old_rows(choice.input.files);
    Input input(choice.input, Reads::stream, console, "watch",
                {.first_row = skip ? 1 : seen + 1, .told = seen, .stop = signals.descriptor()});
    opened = true;
    if (start.goes_on) {
      console.say(
          choice.checkpoint + ": goes on with row " + with_commas(seen + 1) + "; " +
          (skip ? "the rows before it are skipped in " + input.name() : input.name() + " is taken to begin there"));
    }
    WatchSession session(choice, options, std::move(start), input, signals, console);
    return session.run();
  } catch (const Error& error) {
    // A signal may also end the wait for somebody who writes to a named pipe.
    if (!signals.came() || (opened && error.code() != Code::cancelled)) throw;
    console.say("stopped before the first row");
    return kDone;
  }
}

}  // namespace

Job declare_watch(Arguments& arguments) {
  const auto choice = std::make_shared<WatchChoice>();
  arguments.example("tail -f log.csv | expose watch --memory fading:0.01", "a verdict for each line, at once");
  arguments.example("expose watch log.csv --checkpoint log.expose --every 1000 -o verdicts.csv",
                    "go on where it was stopped, whatever stopped it");
  arguments.example("tail -f log.csv | expose watch -m normal.expose --only-anomalies --reasons 3",
                    "with the plan of a model, from the first row on");
  declare_input(arguments, choice->input);
  arguments.group("Stream");
  arguments.option("-m,--model", "MODEL", "go on from a watcher, or take the plan of a model", choice->model).file =
      FileUse::model;
  arguments
      .option("--checkpoint", "FILE", "what was learned so far; if it is there, watch goes on from it",
              choice->checkpoint)
      .file = FileUse::replaced;
  arguments.option("--every", "N", "rows from one checkpoint to the next (default 10000); one comes at the end too",
                   choice->every);
  arguments.option("--alpha", "P", "flag a row when its p-value is at most this (default 0.01)", choice->alpha);
  for (const char* const option : {"--top", "--fdr", "--contamination"}) {
    arguments.refuse(option,
                     "watch answers each row as it comes and flags by --alpha alone; detect and judge look at all rows "
                     "of a table and have this option");
  }
  declare_output(arguments, choice->output);
  declare_plan(arguments, choice->options, &choice->said);
  arguments.note(
      "Rows are `learning` until 256 of them have come: what the columns are for, scale and bandwidth are decided on "
      "those. With a model they are known, and 20 rows are enough.");
  arguments.note(
      "From a checkpoint, files are read behind the rows it has seen; a pipe is taken to begin there. A file named "
      "with "
      "-o has each row once, however often watch was stopped; standard output may give the rows after the last "
      "checkpoint again.");
  return [choice](Console& console) { return watch(*choice, console); };
}

}  // namespace expose::cli

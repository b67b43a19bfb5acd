#include "cli/watch/session.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/models.hpp"
#include "cli/same_columns.hpp"
#include "cli/verbs.hpp"
#include "cli/watch/cut_back.hpp"
#include "cli/watch/first_rows.hpp"
#include "expose/base/text.hpp"
#include "expose/encode/field.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kEvery = 10000;    // rows from one checkpoint to the next
constexpr std::size_t kFewToSay = 20;    // rows that were judged: of fewer it means nothing that none is flagged
constexpr std::size_t kFlushRows = 256;  // a large block gives its verdicts in portions

// Columns of which is known, before any of their values, that nothing is learned from them.
bool is_set_apart(const std::string& name, const ColumnChoice& choice) {
  return name == choice.id || name == choice.label || is_one_of(name, choice.ignore) ||
         (!choice.columns.empty() && !is_one_of(name, choice.columns));
}

bool all_missing(const TableBlock& block, std::size_t i, const std::vector<std::string>& names,
                 const ColumnChoice& choice) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (!is_set_apart(names[c], choice) && !is_missing(block.text(i, c))) return false;
  }
  return true;
}

}  // namespace

WatchSession::WatchSession(const WatchChoice& choice, const Options& options, Start start, Input& input,
                           const StopSignals& signals, Console& console)
    : choice_(choice),
      options_(options),
      start_(std::move(start)),
      input_(input),
      signals_(signals),
      console_(console),
      read_again_(holds_old_rows(choice.input.files)),
      seen_(start_.seen()) {
  explain_ = [this](Records rows, std::span<const std::uint32_t> groups) {
    return start_.watcher->explain(rows, groups);
  };
}

int WatchSession::run() {
  try {
    if (start_.watcher) {
      input_.take(*start_.watcher);
      open_output(input_.has_id());
    } else {
      open_output(!choice_.input.columns.id.empty());
      find_columns();
    }
    input_.reader().no_rewind();
    watch_all();
    save_checkpoint();
    output_->close();
  } catch (const ReaderGone&) {
    reader_gone_ = true;
    save_checkpoint();
  } catch (...) {
    if (output_ && output_->whole()) save_checkpoint();
    throw;
  }
  return finish();
}

void WatchSession::open_output(bool has_id) {
  const OutputChoice& wanted = choice_.output;
  const Format format = format_of(wanted, console_.abilities().terminal_out);
  const bool behind = start_.goes_on && !to_standard_output(wanted) &&
                      cut_back(wanted.path, format, verdict_header(format, has_id, wanted.reasons), seen_);
  if (seen_ > 0 && !to_standard_output(wanted) && !std::filesystem::exists(wanted.path)) {
    console_.say("warning: " + wanted.path + " is not there: it is begun anew, without the first " +
                 counted(seen_, "row") + ", which " + choice_.checkpoint + " has seen");
  }
  output_.emplace(wanted.path, behind ? Output::Begin::behind : Output::Begin::fresh);
  writer_.emplace(*output_, format, has_id, wanted.reasons, &console_, !behind);
  output_->flush();
}

// On the first rows, however many come together: a file and a pipe must get the same verdicts.
void WatchSession::find_columns() {
  FirstRows first(input_.reader(), Watcher::kPlanRows, [this](const TableBlock& block) { return answer_texts(block); });
  const Guess guess = io::guess_columns(first, choice_.input.columns, Watcher::kPlanRows);
  for (const std::string& note : guess.notes) console_.say("note: " + note);
  input_.take(guess.columns, options_.missing);
  options_.table = guess.columns;
  start_.watcher.emplace(options_);
  if (reader_gone_) end_ = first.rows();
}

bool WatchSession::answer_texts(const TableBlock& block) {
  const std::vector<std::string>& names = input_.reader().names();
  const std::size_t id = static_cast<std::size_t>(std::ranges::find(names, choice_.input.columns.id) - names.begin());
  for (std::size_t i = 0; i < block.rows(); ++i) {
    Verdict verdict{.status = Status::learning};
    if (all_missing(block, i, names, choice_.input.columns)) verdict.status = Status::unknown;
    if (block.is_bad(i)) verdict.status = Status::rejected;
    answers_.push_back(verdict.status);
    if (choice_.output.only_anomalies) continue;
    const bool has_text = id < names.size() && !block.is_bad(i);
    writer_->write({answers_.size(), has_text ? as_utf8(block.text(i, id)) : "", verdict, {}});
  }
  try {
    output_->flush();
  } catch (const ReaderGone&) {
    reader_gone_ = true;
  }
  return !reader_gone_ && !signals_.came();
}

// False at the end of the input, and where reading was stopped.
bool WatchSession::next() {
  try {
    return !input_.next().empty();
  } catch (const Error& error) {
    if (error.code() != Code::cancelled) throw;
    return false;
  }
}

// Rows that were answered are learned, whatever happened meanwhile.
bool WatchSession::stopped() const { return last_ >= end_ || (signals_.came() && last_ >= answers_.size()); }

void WatchSession::watch_all() {
  while (!stopped() && next()) {
    const std::size_t rows = input_.block().rows();
    verdicts_.assign(rows, {});
    for (std::size_t i = 0; i < rows && !stopped(); ++i) {
      last_ = input_.row(i);
      if (last_ <= seen_) continue;
      if (input_.block().open_end && i + 1 == rows && read_again_) {
        save_checkpoint();
        half_row_ = true;
      }
      watch_row(i);
      if ((i + 1) % kFlushRows == 0) output_->flush();
    }
    output_->flush();
  }
  if (!signals_.came()) require_old_rows();
}

void WatchSession::watch_row(std::size_t i) {
  Watcher& watcher = *start_.watcher;
  const bool answered = last_ <= answers_.size();
  const Records row = input_.block().records().slice(i, i + 1);
  std::optional<JudgedRow> shown;
  if (choice_.output.reasons > 0 && !answered) shown = judged(i);  // the reasons are those of the rows before
  verdicts_[i] = watcher.watch(row).front();
  flagged_ += verdicts_[i].anomalous ? 1 : 0;
  if (verdicts_[i].status == Status::ok) {
    ++judged_;
    lowest_ = std::min(lowest_, verdicts_[i].p_value);
  }
  ++rows_;
  if (answered) {
    changed_ += verdicts_[i].status != answers_[last_ - 1] ? 1 : 0;
  } else if (!choice_.output.only_anomalies || verdicts_[i].anomalous) {
    writer_->write(shown ? *shown : judged(i));
  }
  if (watcher.seen() % choice_.every.value_or(kEvery) == 0) save_checkpoint();
}

// With reasons, where the row would be shown and has some.
JudgedRow WatchSession::judged(std::size_t i) {
  std::size_t reasons = 0;
  if (choice_.output.reasons > 0) {
    verdicts_[i] = start_.watcher->judge(input_.block().records().slice(i, i + 1)).front();
    const bool wanted = !choice_.output.only_anomalies || verdicts_[i].anomalous;
    if (wanted && verdicts_[i].status == Status::ok) reasons = choice_.output.reasons;
  }
  return described_in_block(input_, std::span(&i, 1), verdicts_, reasons, explain_).front();
}

// What the verdicts say is on the disk before the checkpoint says it.
void WatchSession::save_checkpoint() {
  if (choice_.checkpoint.empty() || rows_ == 0 || half_row_) return;
  if (!reader_gone_) output_->sync();
  save(*start_.watcher, choice_.checkpoint);
  saved_ = start_.watcher->seen();
}

void WatchSession::require_old_rows() const {
  if (last_ >= seen_ || !read_again_) return;
  throw Error(Code::incompatible, input_.name() + " has " + counted(last_, "row") + ", " + choice_.checkpoint +
                                      " has seen " + with_commas(seen_) +
                                      ": is this another file? Through a pipe it is read from its beginning");
}

int WatchSession::finish() {
  const Watcher& watcher = *start_.watcher;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  console_.say(counted(rows_, "row") + " in " + duration(seconds) +
               (seconds > 0 ? " (" + in_brief(static_cast<double>(rows_) / seconds) + " a second)" : "") + "; " +
               flagged_sentence(flagged_, rows_, Alpha{watcher.alpha()}) + "; " + with_commas(input_.bad_rows()) +
               " bad");
  if (changed_ > 0) {
    console_.say("note: " + counted(changed_, "of the first rows was", "of the first rows were") +
                 " answered before it was known what the columns are for, and then found bad or empty");
  }
  if (judged_ >= kFewToSay && flagged_ == 0) {
    const bool forgets = watcher.plan().memory() != Memory(Everything{});
    console_.say("note: the lowest p-value was " + in_brief(lowest_) + ", alpha is " + text(watcher.alpha()) + ": " +
                 (forgets ? "a longer memory can tell rarer rows apart"
                          : "anomalies that are remembered make others look usual, and --memory window:N forgets "
                            "them") +
                 "; a higher --alpha flags more");
  }
  if (saved_ > 0) {
    console_.say(choice_.checkpoint + ": up to row " + with_commas(saved_) +
                 (half_row_ ? "; the one behind it has no newline yet and will be read again" : ""));
  }
  return input_.finish();
}

}  // namespace expose::cli

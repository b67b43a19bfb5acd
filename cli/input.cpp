#include "cli/input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "cli/csv_field.hpp"
#include "cli/same_columns.hpp"
#include "cli/verbs.hpp"
#include "cli/watch/cut_back.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/weights.hpp"
#include "expose/encode/field.hpp"

namespace expose::cli {

namespace {

// What is kept of a table so that it is parsed only once. A larger one is read from its files again.
constexpr std::size_t kKeep = std::size_t{1} << 30;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kStreamBlock = std::size_t{1} << 16;  // rows that come fast wait for no more than so many others
constexpr std::size_t kBadRowsSaid = 3;
constexpr const char* kRejectsHeader = "row,file,line,reason\n";
constexpr double kPatience = 0.5;  // seconds without a word

std::string in_small_letters(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool from_terminal(const std::vector<std::string>& files) {
  const bool standard_input = files.empty() || std::ranges::find(files, "-") != files.end();
  return standard_input && ::isatty(STDIN_FILENO) != 0;
}

// 0 unless all of them are files.
std::uint64_t bytes_of(const std::vector<std::string>& files) {
  std::uint64_t bytes = 0;
  for (const std::string& file : files) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(file, error);
    if (error) return 0;
    bytes += size;
  }
  return bytes;
}

// Columns of a model, with an id and a label of this file: neither belongs to what was learned.
Columns with_id_and_label(const Columns& columns, const ColumnChoice& choice) {
  std::vector<Column> all = columns.all();
  const auto give = [&](const std::string& name, Role role) {
    if (name.empty()) return;
    std::erase_if(all, [&](const Column& column) { return column.role == role && column.name != name; });
    const auto there = std::ranges::find(all, name, &Column::name);
    if (there == all.end()) {
      all.push_back({.name = name, .role = role});
    } else if (role == Role::id && there->role == Role::time) {
      return;  // a time can name its row too
    } else if (is_feature(there->role)) {
      throw Error(Code::invalid_argument,
                  "the model learned from column '" + name + "', so it cannot be the " + expose::name(role) + " too");
    } else {
      there->role = role;
    }
  };
  give(choice.id, Role::id);
  give(choice.label, Role::label);
  return Columns(std::move(all));
}

bool is_time(const Columns& columns, const std::string& name) {
  return std::ranges::any_of(columns.all(), [&](const Column& c) { return c.role == Role::time && c.name == name; });
}

// Without a header columns are counted, and people name the 42nd by its number.
void require_no_bare_numbers(const io::TableReader& reader, const ColumnChoice& choice) {
  std::vector<std::string> said = {choice.label, choice.id, choice.time};
  for (const auto* const more : {&choice.ignore, &choice.columns, &choice.category})
    said.insert(said.end(), more->begin(), more->end());
  for (const std::string& name : said) {
    if (is_one_of(name, reader.names()) || !is_one_of("column_" + name, reader.names())) continue;
    throw Error(Code::not_found, reader.file() + ": there is no column '" + name +
                                     "'; columns without a name are counted, did you mean 'column_" + name + "'?");
  }
}

// Who forgets to set the labels aside finds anomalies by what is known of them.
void note_likely_labels(const Columns& columns, std::vector<std::string>& notes) {
  static const std::vector<std::string> kLikely = {"label",      "class",   "target",  "y",
                                                   "is_anomaly", "anomaly", "outlier", "fraud"};
  const bool has_x =
      std::ranges::any_of(columns.all(), [](const Column& column) { return in_small_letters(column.name) == "x"; });
  for (const Column& column : columns.all()) {
    const std::string name = in_small_letters(column.name);
    if (!is_feature(column.role) || !is_one_of(name, kLikely) || (name == "y" && has_x))
      continue;  // x and y are places
    notes.push_back("'" + column.name + "' is used like any other column; --label " + column.name + " sets it aside");
  }
}

// The columns of a file for a model that knows no names: all that are not set apart, in their order.
Columns by_place(const std::vector<std::string>& names, const ColumnChoice& choice, std::size_t wanted) {
  std::vector<Column> columns;
  std::size_t numbers = 0;
  for (const std::string& name : names) {
    Role role = Role::number;
    if (is_one_of(name, choice.ignore) || (!choice.columns.empty() && !is_one_of(name, choice.columns)))
      role = Role::ignored;
    if (name == choice.id) role = Role::id;
    if (name == choice.label) role = Role::label;
    numbers += role == Role::number ? 1 : 0;
    columns.push_back({.name = name, .role = role});
  }
  if (numbers == wanted) return Columns(std::move(columns));
  throw Error(Code::shape_mismatch, "the file has " + counted(numbers, "column") + " of numbers, the model takes " +
                                        std::to_string(wanted) +
                                        " and knows no names; --columns, --ignore, --id and --label say which to take");
}

}  // namespace

Input::Input(const InputChoice& choice, Reads reads, Console& console, std::string what, const Resume& resume)
    : choice_(choice),
      reads_(reads),
      resume_(resume),
      console_(console),
      what_(std::move(what)),
      pool_(reads == Reads::stream ? 1 : choice.threads),  // the rows of a stream come one after the other
      begin_(std::chrono::steady_clock::now()) {
  require_one_role(choice.columns);
  if (from_terminal(choice.files)) throw CommandError("name a file, or send a table to standard input");
  reader_ = io::open_table(choice.files, {.pool = &pool_,
                                          .delimiter = choice.delimiter,
                                          .header = choice.header,
                                          .block_bytes = reads == Reads::stream ? kStreamBlock : kBlock,
                                          .again = reads == Reads::again,
                                          .stop = resume.stop,
                                          .bytes_read = &bytes_read_});
  require_no_bare_numbers(*reader_, choice.columns);
  bytes_ = bytes_of(choice.files);
  if (choice.rejects.empty()) return;
  const bool there = resume.told > 0 && cut_back(choice.rejects, Format::csv, kRejectsHeader, resume.told);
  rejects_ = std::make_unique<Output>(choice.rejects, there ? Output::Begin::behind : Output::Begin::fresh);
  if (!there) rejects_->write(kRejectsHeader);
}

const Columns& Input::guess(Missing missing) {
  const Guess guess = io::guess_columns(*reader_, choice_.columns);
  notes_ = guess.notes;
  note_likely_labels(guess.columns, notes_);
  for (const std::string& note : notes_) console_.say("note: " + note);
  take(guess.columns, missing);
  guessed_ = true;
  return columns();
}

void Input::take(const Plan& plan, const std::string& model) {
  if (plan.table()) require_same_columns(model, choice_.columns, *plan.table());
  take(plan.table() ? with_id_and_label(*plan.table(), choice_.columns)
                    : by_place(reader_->names(), choice_.columns, plan.columns()),
       plan.missing());
}

void Input::take(const Watcher& watcher) {
  if (watcher.planned()) return take(watcher.plan());
  take(with_id_and_label(watcher.table().value(), choice_.columns), watcher.options().missing);
}

void Input::take(const Columns& columns, Missing missing) {
  missing_ = missing;
  source_ = std::make_unique<io::TableSource>(*reader_, columns, reads_ == Reads::again ? kKeep : 0);
  id_ = is_time(columns, choice_.columns.id) ? text_of(Role::time) : text_of(Role::id);
  label_ = text_of(Role::label);
  for (const auto& [name, place] : {std::pair(choice_.columns.id, id_), std::pair(choice_.columns.label, label_)}) {
    if (name.empty() || place != Columns::kNowhere) continue;
    throw Error(Code::not_found, reader_->file() + ": there is no column '" + name + "'");
  }
}

std::size_t Input::text_of(Role role) const {
  const std::vector<Column>& all = columns().all();
  const auto found = std::ranges::find(all, role, &Column::role);
  return found == all.end() ? Columns::kNowhere
                            : source_->encoder().text_of(static_cast<std::size_t>(found - all.begin()));
}

Records Input::next() {
  const Records records = source_->next();
  read_ += records.n();
  if (first_pass_ && !records.empty()) note_bad_rows();
  require_as_before(records.empty());
  if (records.empty()) require_good_rows();
  if (records.empty()) {
    console_.end_progress();
  } else {
    show_progress();
  }
  return records;
}

bool Input::rewind() {
  if (!source_->rewind()) return false;
  if (read_ > 0) first_pass_ = false;
  read_ = 0;
  bytes_before_ = bytes_read_;
  begin_ = std::chrono::steady_clock::now();
  return true;
}

void Input::note_bad_rows() {
  if (block().rows() == 0 || row(block().rows() - 1) <= resume_.told) return;
  rows_ += row(block().rows() - 1) - std::max(resume_.told, row(0) - 1);
  const Records records = block().records();
  auto bad = block().bad().begin();
  for (std::size_t i = 0; i < block().rows(); ++i) {
    if (bad != block().bad().end() && bad->row == i) {
      note_bad_row(i, (bad++)->reason);
    } else if (missing_ == Missing::reject && !is_good(records, i, missing_)) {
      note_bad_row(i, "has missing values");
    }
  }
  if (rejects_ && reads_ == Reads::stream) rejects_->flush();
}

void Input::note_bad_row(std::size_t i, const std::string& reason) {
  if (row(i) <= resume_.told) return;
  ++bad_rows_;
  const std::size_t line = block().line(i);
  if (bad_.size() < io::TableSource::kMostKept) bad_.push_back({row(i), block().file, line, reason});
  if (!rejects_) return;
  rejects_->write(std::to_string(row(i)) + "," + csv_field(block().file) + "," +
                  (line > 0 ? std::to_string(line) : "") + "," + csv_field(reason) + "\n");
}

// Where a plan is to be made, the library would miss good rows; here is known why there are none.
void Input::require_good_rows() const {
  if (!guessed_ || rows_ == 0 || bad_rows_ < rows_) return;
  throw Error(Code::invalid_argument, (rows_ == 1 ? "the only row of " : "all " + with_commas(rows_) + " rows of ") +
                                          name() + (rows_ == 1 ? " is bad: " : " are bad; the first: ") +
                                          io::sentence(bad_.front()));
}

void Input::require_as_before(bool at_end) {
  if (!whole_pass_) {
    if (at_end) whole_pass_ = read_;
    return;
  }
  if (at_end ? read_ == *whole_pass_ : read_ <= *whole_pass_) return;
  throw Error(Code::io, name() + " was changed while it was read; let it rest, or read a copy of it");
}

std::string_view Input::id(std::size_t i) const { return has_id() ? block().text(i, id_) : std::string_view(); }
std::string_view Input::label(std::size_t i) const {
  return has_label() ? block().text(i, label_) : std::string_view();
}

std::string Input::value(std::size_t i, std::size_t c) const {
  const std::size_t place = source_->encoder().text_of(c);
  if (place != Columns::kNowhere) return as_utf8(block().text(i, place));
  const double number = block().numbers(i)[columns().first_number(c)];
  return std::isnan(number) ? "" : text(number);
}

std::string Input::name() const {
  const std::vector<std::string>& files = choice_.files;
  if (files.empty() || (files.size() == 1 && files.front() == "-")) return "standard input";
  return files.size() == 1 ? files.front() : files.front() + " and " + std::to_string(files.size() - 1) + " more";
}

void Input::show_progress() {
  if (reads_ == Reads::stream && console_.abilities().terminal_out) return;  // the verdicts are progress enough
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (seconds < kPatience) return;
  console_.show_progress(what_ + ": " + counted(read_, "row") + ", " + in_brief(static_cast<double>(read_) / seconds) +
                         " a second" + remaining(seconds));
}

// Of this pass: by rows where their number is known, else by bytes; blocks lie ready before they are given, so a little
// too much of them.
std::string Input::remaining(double seconds) const {
  const double share = !first_pass_ && rows_ > 0 ? static_cast<double>(read_) / static_cast<double>(rows_)
                       : bytes_ > 0 ? static_cast<double>(bytes_read_ - bytes_before_) / static_cast<double>(bytes_)
                                    : 0.0;
  if (share <= 0 || share > 1) return "";
  return ", " + percent(share) + ", " + duration(seconds * (1 - share) / share) + " left";
}

int Input::finish() {
  console_.end_progress();
  if (rejects_) rejects_->close();
  if (bad_rows_ == 0) return kDone;
  console_.say(counted(bad_rows_, "row") + " of " + with_commas(rows_) +
               (bad_rows_ == 1 ? " is bad and was" : " are bad and were") + " left out:");
  for (std::size_t i = 0; i < std::min(bad_.size(), kBadRowsSaid); ++i) console_.say("  " + io::sentence(bad_[i]));
  if (bad_rows_ > kBadRowsSaid) {
    console_.say("  and " + with_commas(bad_rows_ - kBadRowsSaid) + " more" +
                 (choice_.rejects.empty() ? "; --rejects FILE lists them all" : "; all are in " + choice_.rejects));
  }
  return choice_.strict ? kSkippedRows : kDone;
}

}  // namespace expose::cli

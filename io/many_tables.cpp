#include "io/many_tables.hpp"

#include <algorithm>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/encode/nearest.hpp"
#include "io/stream.hpp"

namespace expose::io {

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void require_same(const std::vector<std::string>& names, const std::string& first_file, const TableReader& other) {
  const auto lacks = [](const std::string& file, const std::string& name, const std::string& has_it,
                        const std::vector<std::string>& there) {
    throw Error(Code::incompatible, file + " has no column '" + name + "', " + has_it + " has" +
                                        did_you_mean(name, there) +
                                        "; files that are read as one table have the same columns");
  };
  for (const std::string& name : names) {
    if (!has(other.names(), name)) lacks(other.file(), name, first_file, other.names());
  }
  for (const std::string& name : other.names()) {
    if (!has(names, name)) lacks(first_file, name, other.file(), names);
  }
}

}  // namespace

ManyTables::ManyTables(std::vector<std::string> paths, bool again, Open open)
    : paths_(std::move(paths)), open_(std::move(open)), readers_(paths_.size()) {
  readers_.front() = open_(paths_.front());
  now_ = readers_.front().get();
  names_ = now_->names();
  layout_ = all_texts(names_.size());
  repeatable_ = again || now_->repeatable();
  for (std::size_t i = 1; i < paths_.size(); ++i) {
    if (comes_once(paths_[i])) {
      repeatable_ = repeatable_ && again;
    } else {
      require_same(names_, now_->file(), *open_(paths_[i]));
    }
  }
}

void ManyTables::expect(const Layout& layout, Finish finish) {
  now_->expect(layout, finish);
  layout_ = layout;
  finish_ = std::move(finish);
  ask();
}

// The columns of this file may stand in another order than those of the first.
void ManyTables::ask() {
  Layout layout = layout_;
  for (std::size_t j = 0; j < names_.size(); ++j) {
    const auto at = std::ranges::find(names_, now_->names()[j]) - names_.begin();
    layout.columns[j] = layout_.columns[static_cast<std::size_t>(at)];
  }
  now_->expect(layout, finish_);
}

// Files are opened again, which keeps one of them open at a time; the others are opened once.
void ManyTables::go_to(std::size_t index) {
  std::unique_ptr<TableReader>& reader = readers_[index];
  if (reader == nullptr || (index != index_ && !comes_once(paths_[index]))) {
    std::unique_ptr<TableReader> opened = open_(paths_[index]);
    require_same(names_, paths_.front(), *opened);
    if (no_rewind_) opened->no_rewind();
    reader = std::move(opened);
  }
  if (index != index_ && (no_rewind_ || !comes_once(paths_[index_]))) readers_[index_].reset();
  now_ = reader.get();
  index_ = index;
  ask();
}

bool ManyTables::next(TableBlock& block) {
  while (!now_->next(block)) {
    if (index_ + 1 == paths_.size()) return false;
    go_to(index_ + 1);
  }
  block.first_row = next_row_;
  block.open_end = block.open_end && index_ + 1 == paths_.size();
  next_row_ += block.rows();
  return true;
}

// The one that is read comes last: where it cannot go back, it is not to be touched.
bool ManyTables::rewind() {
  if (no_rewind_ && index_ > 0) return false;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    if (i != index_ && readers_[i] != nullptr && !readers_[i]->rewind()) return false;
  }
  if (!now_->rewind()) return false;
  go_to(0);
  next_row_ = 1;
  return true;
}

void ManyTables::no_rewind() {
  no_rewind_ = true;
  now_->no_rewind();
}

}  // namespace expose::io

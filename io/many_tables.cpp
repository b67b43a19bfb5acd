#include "io/many_tables.hpp"

#include <algorithm>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/encode/nearest.hpp"

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

ManyTables::ManyTables(std::vector<std::string> paths, Open open) : paths_(std::move(paths)), open_(std::move(open)) {
  now_ = open_(paths_.front());
  names_ = now_->names();
  repeatable_ = now_->repeatable();
  layout_ = all_texts(names_.size());
  const std::string first_file = now_->file();
  for (std::size_t i = 1; i < paths_.size(); ++i) {
    if (paths_[i] == "-") {
      repeatable_ = false;
      continue;
    }
    const std::unique_ptr<TableReader> other = open_(paths_[i]);
    require_same(names_, first_file, *other);
    repeatable_ = repeatable_ && other->repeatable();
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

bool ManyTables::next(TableBlock& block) {
  while (!now_->next(block)) {
    if (index_ + 1 == paths_.size()) return false;
    std::unique_ptr<TableReader> other = open_(paths_[index_ + 1]);
    require_same(names_, paths_.front(), *other);
    now_ = std::move(other);
    ++index_;
    ask();
  }
  block.first_row = next_row_;
  next_row_ += block.rows();
  return true;
}

bool ManyTables::rewind() {
  if (index_ > 0) {
    if (!repeatable_) return false;
    now_ = open_(paths_.front());
    index_ = 0;
    ask();
  } else if (!now_->rewind()) {
    return false;
  }
  next_row_ = 1;
  return true;
}

}  // namespace expose::io

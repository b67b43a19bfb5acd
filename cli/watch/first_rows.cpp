#include "cli/watch/first_rows.hpp"

#include "expose/base/error.hpp"

namespace expose::cli {

namespace {

// The first rows of a block of texts.
TableBlock first_of(const TableBlock& block, std::size_t rows, const Layout& layout) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t t = 0; t < layout.texts; ++t) bytes += block.text(i, t).size();
  }
  TableBlock some;
  some.file = block.file;
  some.first_row = block.first_row;
  some.first_line = block.first_line;
  some.begin(layout, bytes, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    some.add_row(block.first_line > 0 ? block.line(i) - block.first_line : 0);
    for (std::size_t t = 0; t < layout.texts; ++t) some.set_text(i, t, block.text(i, t));
  }
  for (const TableBlock::Bad& bad : block.bad()) {
    if (bad.row < rows) some.mark_bad(bad.row, bad.reason);
  }
  return some;
}

}  // namespace

void FirstRows::expect(const Layout& layout, Finish finish) {
  reader_.expect(layout, std::move(finish));
  layout_ = layout;
}

bool FirstRows::read(TableBlock& block) {
  try {
    return reader_.next(block);
  } catch (const Error&) {
    if (given_ == 0) throw;
    return false;
  }
}

bool FirstRows::next(TableBlock& block) {
  if (given_ == (first_pass_ ? most_ : rows_) || !read(block)) return false;
  const std::size_t left = (first_pass_ ? most_ : rows_) - given_;
  if (block.rows() > left) block = first_of(block, left, layout_);
  given_ += block.rows();
  if (!first_pass_) return true;
  rows_ = given_;
  if (see_ && !see_(block)) most_ = rows_;
  return true;
}

bool FirstRows::rewind() {
  if (!reader_.rewind()) return false;
  first_pass_ = false;
  given_ = 0;
  return true;
}

}  // namespace expose::cli

#include "io/source.hpp"

#include <algorithm>
#include <utility>

#include "expose/base/error.hpp"

namespace expose::io {

namespace {

void require_rewound(TableReader& reader) {
  if (reader.rewind()) return;
  throw Error(Code::io,
              reader.file() + " is a pipe, and its first rows are too long to be read twice; put it into a file");
}

// What make() makes; its complaints get the file in front.
template <class Make>
auto with_file(const TableReader& reader, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(error.code(), reader.file() + ": " + error.what());
  }
}

// Calls see(block, rows) for the blocks that hold the first `most` rows, and with how many of those each has; how many
// there were. A block of a pipe may hold more, as it happens: no answer may depend on that.
template <class See>
std::size_t each_block(TableReader& reader, std::size_t most, const See& see) {
  TableBlock block;
  std::size_t rows = 0;
  while (rows < most && reader.next(block)) {
    const std::size_t some = std::min(block.rows(), most - rows);
    see(block, some);
    rows += some;
  }
  return rows;
}

}  // namespace

std::string sentence(const BadRow& bad) {
  const std::string row = "row " + std::to_string(bad.row);
  return bad.file + ", " + (bad.line > 0 ? "line " + std::to_string(bad.line) + " (" + row + ")" : row) + ": " +
         bad.reason;
}

TableSource::TableSource(TableReader& reader, const Columns& columns, std::size_t keep_bytes)
    : reader_(reader),
      encoder_(with_file(reader, [&] { return Encoder(columns, reader.names()); })),
      keep_bytes_(keep_bytes) {
  reader_.expect(encoder_.layout(), [this](TableBlock& block) { encoder_.encode(block); });
}

Records TableSource::next() {
  if (given_ < kept_.size()) {
    now_ = &kept_[given_++];
  } else {
    if (!reader_.next(block_)) return {};
    now_ = &block_;
    if (keep_bytes_ > 0) keep();
  }
  count();
  return now_->records();
}

// Moves block_ to those that are kept, or gives them up.
void TableSource::keep() {
  block_.shrink();
  kept_bytes_ += block_.bytes();
  if (kept_bytes_ > keep_bytes_) {
    std::deque<TableBlock>().swap(kept_);
    keep_bytes_ = kept_bytes_ = given_ = 0;
    return;
  }
  kept_.push_back(std::exchange(block_, {}));
  now_ = &kept_.back();
  given_ = kept_.size();
}

void TableSource::count() {
  rows_ += now_->rows();
  bad_rows_ += now_->bad().size();
  for (const TableBlock::Bad& bad : now_->bad()) {
    if (bad_.size() == kMostKept) break;
    bad_.push_back({now_->first_row + bad.row, now_->file, now_->line(bad.row), bad.reason});
  }
}

bool TableSource::rewind() {
  if (keep_bytes_ == 0 && !reader_.rewind()) return false;
  given_ = 0;
  rows_ = bad_rows_ = 0;
  bad_.clear();
  return true;
}

Guess guess_columns(TableReader& reader, const ColumnChoice& choice, std::size_t looked_at) {
  ColumnGuesser guesser = with_file(reader, [&] { return ColumnGuesser(reader.names(), choice); });
  reader.expect(all_texts(reader.names().size()));
  const std::size_t rows =
      each_block(reader, looked_at, [&](const TableBlock& block, std::size_t some) { guesser.look(block, some); });
  if (rows == 0) throw Error(Code::invalid_argument, reader.file() + " has a header and no rows");
  require_rewound(reader);
  if (guesser.wants_counts()) {
    reader.expect(guesser.layout());
    each_block(reader, reader.repeatable() ? static_cast<std::size_t>(-1) : rows,
               [&](const TableBlock& block, std::size_t some) { guesser.count(block, some); });
    require_rewound(reader);
  }
  Guess guess = guesser.guess();
  if (guess.columns.width() == 0) {
    std::string why = reader.file() + " has no column to learn from";
    for (const std::string& note : guess.notes) why += "; " + note;
    throw Error(Code::invalid_argument, why);
  }
  return guess;
}

}  // namespace expose::io

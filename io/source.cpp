#include "io/source.hpp"

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

// Calls see(block) for the blocks that hold the first `most` rows; how many rows that were.
template <class See>
std::size_t each_block(TableReader& reader, std::size_t most, const See& see) {
  TableBlock block;
  std::size_t rows = 0;
  while (rows < most && reader.next(block)) {
    see(block);
    rows += block.rows();
  }
  return rows;
}

}  // namespace

std::string sentence(const BadRow& bad) {
  const std::string row = "row " + std::to_string(bad.row);
  return bad.file + ", " + (bad.line > 0 ? "line " + std::to_string(bad.line) + " (" + row + ")" : row) + ": " +
         bad.reason;
}

TableSource::TableSource(TableReader& reader, const Columns& columns)
    : reader_(reader), encoder_(with_file(reader, [&] { return Encoder(columns, reader.names()); })) {
  reader_.expect(encoder_.layout(), [this](TableBlock& block) { encoder_.encode(block); });
}

Records TableSource::next() {
  if (!reader_.next(block_)) return {};
  rows_ += block_.rows();
  bad_rows_ += block_.bad().size();
  for (const TableBlock::Bad& bad : block_.bad()) {
    if (bad_.size() == kMostKept) break;
    bad_.push_back({block_.first_row + bad.row, block_.file, block_.line(bad.row), bad.reason});
  }
  return block_.records();
}

bool TableSource::rewind() {
  if (!reader_.rewind()) return false;
  rows_ = bad_rows_ = 0;
  bad_.clear();
  return true;
}

Guess guess_columns(TableReader& reader, const ColumnChoice& choice, std::size_t looked_at) {
  ColumnGuesser guesser = with_file(reader, [&] { return ColumnGuesser(reader.names(), choice); });
  reader.expect(all_texts(reader.names().size()));
  const std::size_t rows = each_block(reader, looked_at, [&](const TableBlock& block) { guesser.look(block); });
  if (rows == 0) throw Error(Code::invalid_argument, reader.file() + " has a header and no rows");
  require_rewound(reader);
  if (guesser.wants_counts()) {
    reader.expect(guesser.layout());
    each_block(reader, reader.repeatable() ? static_cast<std::size_t>(-1) : rows,
               [&](const TableBlock& block) { guesser.count(block); });
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

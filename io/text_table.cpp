#include "io/text_table.hpp"

#include <algorithm>
#include <utility>

namespace expose::io {

namespace {

constexpr std::size_t kPiecesAThread = 2;  // enough that no thread waits long for the last one
constexpr std::size_t kMostPieces = 32;    // bounds the memory where there are many threads

Batches::Sizes sizes(const ReadOptions& options) {
  const std::size_t threads = options.pool != nullptr ? options.pool->threads() : 1;
  const std::size_t piece = std::max<std::size_t>(1, options.block_bytes);
  const std::size_t pieces = threads == 1 ? 1 : std::min(kPiecesAThread * threads, kMostPieces);
  return {piece, piece * pieces, options.most_line_bytes};
}

}  // namespace

TextTable::TextTable(std::unique_ptr<ByteStream> stream, std::unique_ptr<TextFormat> format, std::string file,
                     const ReadOptions& options)
    : stream_(std::move(stream)),
      format_(std::move(format)),
      file_(std::move(file)),
      pool_(options.pool),
      batches_(*stream_, *format_, sizes(options)),
      layout_(all_texts(format_->names().size())) {
  begin();
}

void TextTable::expect(const Layout& layout, Finish finish) {
  require_valid(layout, names().size());
  layout_ = layout;
  finish_ = std::move(finish);
}

void TextTable::begin() {
  batches_.begin();
  batch_.ends.clear();
  batch_.last = has_ahead_ = false;
  batch_.failure.reset();
  given_ = 0;
  next_row_ = 1;
  next_line_ = 1 + format_->skip_lines();
}

bool TextTable::rewind() {
  if (!stream_->rewind()) return false;
  begin();
  return true;
}

bool TextTable::next(TableBlock& block) {
  for (;;) {
    if (given_ == batch_.ends.size()) {
      if (batch_.failure) fail();
      if (batch_.last) return false;
      advance();
      continue;
    }
    if (failures_[given_]) {  // the pieces behind it are lost
      batch_.failure = failures_[given_];
      batch_.ends.resize(given_);
      continue;
    }
    std::swap(block, blocks_[given_]);
    block.file = file_;
    block.first_row = next_row_;
    block.first_line = next_line_;
    next_row_ += block.rows();
    next_line_ += lines_[given_++];
    block.open_end = batch_.open_end && given_ == batch_.ends.size();
    if (block.rows() > 0) return true;  // a piece may hold nothing but empty lines
  }
}

void TextTable::advance() {
  if (has_ahead_) {
    std::swap(batch_, ahead_);
    has_ahead_ = false;
  } else {
    batches_.fill(batch_);
  }
  given_ = 0;
  const std::size_t pieces = batch_.ends.size();
  if (blocks_.size() < pieces) blocks_.resize(pieces);
  lines_.assign(pieces, 0);
  failures_.assign(pieces, std::nullopt);
  if (pool_ == nullptr || pool_->threads() == 1) {
    for (std::size_t i = 0; i < pieces; ++i) parse(i);
    return;
  }
  has_ahead_ = !batch_.last && repeatable();  // a pipe may let us wait, with rows at hand
  pool_->run(pieces + 1, [this](std::size_t i, std::size_t) {
    if (i > 0) {
      parse(i - 1);
    } else if (has_ahead_) {
      batches_.fill(ahead_);
    }
  });
}

void TextTable::parse(std::size_t piece) {
  try {
    lines_[piece] = format_->parse(batch_.piece(piece), layout_, blocks_[piece]);
  } catch (const Error& error) {
    failures_[piece] = error;
    return;
  }
  if (finish_) finish_(blocks_[piece]);
}

void TextTable::fail() const {
  throw Error(batch_.failure->code(), file_ + ", line " + std::to_string(next_line_) + ": " + batch_.failure->what());
}

}  // namespace expose::io

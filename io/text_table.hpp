// TextTable: a TableReader for a stream of text records: reads a portion, parses its pieces side by side, gives them in
// their order, and reads the next portion meanwhile.
//
// One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/batches.hpp"
#include "io/table_reader.hpp"

namespace expose::io {

class TextTable final : public TableReader {
 public:
  // REQUIRES: the stream stands at its beginning
  TextTable(std::unique_ptr<ByteStream> stream, std::unique_ptr<TextFormat> format, std::string file,
            const ReadOptions& options);

  const std::vector<std::string>& names() const override { return format_->names(); }
  const std::string& file() const override { return file_; }
  void expect(const Layout& layout, Finish finish) override;
  bool next(TableBlock& block) override;
  bool rewind() override;
  bool repeatable() const override { return stream_->repeatable(); }
  void no_rewind() override { stream_->no_rewind(); }

 private:
  void begin();
  void advance();
  void parse(std::size_t piece);
  [[noreturn]] void fail() const;

  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<TextFormat> format_;
  std::string file_;
  Pool* pool_;
  Batches batches_;
  Layout layout_;
  Finish finish_;

  Batch batch_;
  Batch ahead_;
  bool has_ahead_ = false;
  std::vector<TableBlock> blocks_;              // of the pieces of batch_
  std::vector<std::size_t> lines_;              // in each
  std::vector<std::optional<Error>> failures_;  // of each
  std::size_t given_ = 0;                       // blocks
  std::size_t next_row_ = 1;
  std::size_t next_line_ = 1;
};

}  // namespace expose::io

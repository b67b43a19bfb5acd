// FirstRows: the beginning of a table as a table of its own, so that what is decided on it does not depend on how many
// rows arrive together. Each block is shown to `see` when it comes for the first time.
//
// Where reading fails or is stopped the beginning ends: whoever reads on with the reader itself meets that again.
// Texts only. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "io/table_reader.hpp"

namespace expose::cli {

class FirstRows final : public io::TableReader {
 public:
  // Returns false if no more rows are wanted.
  using See = std::function<bool(const TableBlock&)>;

  // REQUIRES: the reader stands at its first row, and outlives this
  FirstRows(io::TableReader& reader, std::size_t most, See see)
      : reader_(reader), most_(most), see_(std::move(see)), layout_(all_texts(reader.names().size())) {}

  const std::vector<std::string>& names() const override { return reader_.names(); }
  const std::string& file() const override { return reader_.file(); }
  void expect(const Layout& layout, Finish finish) override;
  bool next(TableBlock& block) override;
  bool rewind() override;
  bool repeatable() const override { return true; }
  void no_rewind() override { reader_.no_rewind(); }

  // How many there are; known once they have all come.
  std::size_t rows() const { return rows_; }

 private:
  bool read(TableBlock& block);

  io::TableReader& reader_;
  std::size_t most_;
  See see_;
  Layout layout_;
  bool first_pass_ = true;
  std::size_t rows_ = 0;   // of the first pass
  std::size_t given_ = 0;  // in this pass
};

}  // namespace expose::cli

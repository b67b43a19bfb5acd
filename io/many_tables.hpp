// ManyTables: several files as one table, row after row. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/table_reader.hpp"

namespace expose::io {

class ManyTables final : public TableReader {
 public:
  using Open = std::function<std::unique_ptr<TableReader>(const std::string& path)>;

  // Opens each of the files once (standard input when its turn comes), so that a wrong one is known before the work
  // begins. Throws Code::incompatible, naming the difference, unless all have the same columns.
  // REQUIRES: at least one path
  ManyTables(std::vector<std::string> paths, Open open);

  const std::vector<std::string>& names() const override { return names_; }
  const std::string& file() const override { return now_->file(); }
  void expect(const Layout& layout, Finish finish) override;
  bool next(TableBlock& block) override;
  bool rewind() override;
  bool repeatable() const override { return repeatable_; }

 private:
  void ask();

  std::vector<std::string> paths_;
  Open open_;
  std::unique_ptr<TableReader> now_;
  std::size_t index_ = 0;
  std::vector<std::string> names_;
  bool repeatable_ = true;
  Layout layout_;
  Finish finish_;
  std::size_t next_row_ = 1;
};

}  // namespace expose::io

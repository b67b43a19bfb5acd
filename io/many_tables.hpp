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

  // Opens each of the files once (what comes_once() when its turn comes), so that a wrong one is known before the work
  // begins. Throws Code::incompatible, naming the difference, unless all have the same columns.
  // REQUIRES: at least one path
  // again: as in ReadOptions, which `open` is to heed.
  ManyTables(std::vector<std::string> paths, bool again, Open open);

  const std::vector<std::string>& names() const override { return names_; }
  const std::string& file() const override { return now_->file(); }
  void expect(const Layout& layout, Finish finish) override;
  bool next(TableBlock& block) override;
  bool rewind() override;
  bool repeatable() const override { return repeatable_; }
  void no_rewind() override;

 private:
  void go_to(std::size_t index);
  void ask();

  std::vector<std::string> paths_;
  Open open_;
  std::vector<std::unique_ptr<TableReader>> readers_;  // one a path: the one that is read, and those that came once
  TableReader* now_ = nullptr;
  std::size_t index_ = 0;
  std::vector<std::string> names_;
  bool repeatable_ = true;
  bool no_rewind_ = false;
  Layout layout_;
  Finish finish_;
  std::size_t next_row_ = 1;
};

}  // namespace expose::io

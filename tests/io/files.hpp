// Files that last as long as a test, and tables read back from them as texts or numbers.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "expose/base/error.hpp"
#include "io/table_reader.hpp"

namespace expose::io {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "expose_io_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

using Texts = std::vector<std::vector<std::string>>;

// All that comes out of a reader, until its end or an Error.
struct Read {
  std::vector<std::string> names;
  Texts texts;
  std::vector<std::vector<double>> numbers;
  std::vector<std::string> bad;    // "row 3, line 4: reason"
  std::vector<std::size_t> lines;  // one a row
  std::string error;
  bool operator==(const Read&) const = default;
};

inline void append(Read& read, const TableBlock& block, std::size_t texts) {
  for (std::size_t i = 0; i < block.rows(); ++i) {
    std::vector<std::string>& row = read.texts.emplace_back();
    for (std::size_t t = 0; t < texts; ++t) row.emplace_back(block.text(i, t));
    read.numbers.emplace_back(block.numbers(i), block.numbers(i) + block.width());
    read.lines.push_back(block.line(i));
  }
  for (const TableBlock::Bad& bad : block.bad()) {
    read.bad.push_back("row " + std::to_string(block.first_row + bad.row) + ", line " +
                       std::to_string(block.line(bad.row)) + ": " + bad.reason);
  }
}

inline Read read_all(TableReader& reader, std::size_t texts) {
  Read read;
  read.names = reader.names();
  TableBlock block;
  try {
    while (reader.next(block)) append(read, block, texts);
  } catch (const Error& error) {
    read.error = std::string(name(error.code())) + ": " + error.what();
  }
  return read;
}

inline Layout all_numbers(std::size_t columns) {
  Layout layout;
  for (std::size_t c = 0; c < columns; ++c) layout.columns.push_back({Want::number, c});
  layout.width = columns;
  return layout;
}

inline Read read_texts(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
  const auto reader = open_table(paths, options);
  return read_all(*reader, reader->names().size());
}

inline Read read_numbers(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
  const auto reader = open_table(paths, options);
  reader->expect(all_numbers(reader->names().size()));
  return read_all(*reader, 0);
}

inline Read csv_texts(const std::string& bytes, const ReadOptions& options = {}) {
  const Folder folder;
  return read_texts({folder.write("t.csv", bytes)}, options);
}

inline Read csv_numbers(const std::string& bytes, const ReadOptions& options = {}) {
  const Folder folder;
  return read_numbers({folder.write("t.csv", bytes)}, options);
}

}  // namespace expose::io

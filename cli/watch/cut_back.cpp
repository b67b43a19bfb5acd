#include "cli/watch/cut_back.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "expose/base/error.hpp"

namespace expose::cli {

namespace {

namespace fs = std::filesystem;

// The next record with the newline behind it; nothing at the end, or if the end comes before that newline.
std::optional<std::string> next_record(std::ifstream& in, Format format) {
  std::string record, line;
  bool in_quotes = false;  // a line may end inside of a field of csv
  do {
    if (!std::getline(in, line) || in.eof()) return std::nullopt;
    record += line + "\n";
    if (format == Format::csv && std::ranges::count(line, '"') % 2 != 0) in_quotes = !in_quotes;
  } while (in_quotes);
  return record;
}

// `12,..`, `{"row": 12, ..` or `     12  ..`
std::optional<std::size_t> row_of(const std::string& record) {
  constexpr std::string_view kBefore = "{\"row\": ";
  const std::size_t begin = record.starts_with(kBefore) ? kBefore.size() : record.find_first_not_of(' ');
  std::size_t row = 0;
  const auto read = std::from_chars(record.data() + begin, record.data() + record.size(), row);
  return read.ec == std::errc() ? std::optional(row) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Code::corrupt, path + " is not what this command wrote before: " + why +
                                 "; go on with the same options, or let the results go to another file");
}

}  // namespace

bool cut_back(const std::string& path, Format format, const std::string& header, std::size_t last) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(Code::io, "cannot read " + path + ", to go on behind what it holds");
  std::size_t keep = 0;
  if (!header.empty()) {
    const std::optional<std::string> first = next_record(in, format);
    if (!first) return false;
    if (*first != header) refuse(path, "it does not begin with the same columns");
    keep = header.size();
  }
  std::size_t before = 0;
  while (const std::optional<std::string> record = next_record(in, format)) {
    const std::optional<std::size_t> row = row_of(*record);
    if (!row || *row <= before) refuse(path, "there is no row number behind row " + std::to_string(before));
    if (*row > last) break;
    before = *row;
    keep += record->size();
  }
  in.close();
  fs::resize_file(path, keep, error);
  if (error) throw Error(Code::io, "cannot shorten " + path + ": " + error.message());
  return keep > 0;
}

}  // namespace expose::cli

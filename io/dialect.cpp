// What the beginning of a csv file says about the rest: delimiter, header, names.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"
#include "io/csv.hpp"
#include "io/csv_scan.hpp"

namespace expose::io {

namespace {

constexpr std::size_t kRecords = 100;  // that are looked at
// Ties go to the first: a comma is also found in texts and, in much of the world, in numbers.
constexpr std::array<char, 4> kDelimiters = {'\t', ';', '|', ','};

using Record = std::vector<std::string>;

// The record at `at`, and `at` behind it; empty lines before it are passed over. REQUIRES: text ends with a newline
Record read_record(std::string_view text, std::size_t& at, char delimiter) {
  const char* const end = text.data() + text.size();
  const char* p = text.data() + at;
  while (p < end && (*p == '\n' || *p == '\r')) ++p;
  Record record;
  std::string scratch;
  while (p < end) {
    const ScannedField field = scan_field(p, end, delimiter, scratch);
    record.emplace_back(field.text);
    require_modest(record.size());
    p = field.next;
    if (*p != delimiter) break;
    ++p;
  }
  while (p < end && *p != '\n') ++p;
  at = std::min(static_cast<std::size_t>(p - text.data()) + 1, text.size());
  return record;
}

std::size_t fitting_records(std::string_view text, char delimiter) {
  std::size_t at = 0, fitting = 0;
  const std::size_t fields = read_record(text, at, delimiter).size();
  if (fields < 2) return 0;
  for (std::size_t i = 0; i < kRecords && at < text.size(); ++i) {
    const std::size_t more = read_record(text, at, delimiter).size();
    fitting += more == fields || more == 0 ? 1 : 0;
  }
  return fitting + 1;
}

char find_delimiter(std::string_view text) {
  char best = ',';
  std::size_t most = 0;
  for (const char delimiter : kDelimiters) {
    const std::size_t fitting = fitting_records(text, delimiter);
    if (fitting <= most) continue;
    most = fitting;
    best = delimiter;
  }
  return best;
}

Field kind_of(const std::string& text) {
  double value = 0;
  return read_number(text, value);
}

bool is_header(const Record& first, const Record& second) {
  bool any_number = false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    const Field kind = kind_of(first[c]);
    any_number = any_number || kind == Field::number || kind == Field::infinite;
    if (kind == Field::other && c < second.size() && kind_of(second[c]) == Field::number) return true;
  }
  return !any_number;
}

void require_text(std::string_view line) {
  if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff")) {
    throw Error(Code::corrupt, "this is UTF-16; turn it into UTF-8: iconv -f UTF-16 -t UTF-8");
  }
  const auto odd = std::ranges::find_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n'; });
  if (odd != line.end()) {
    throw Error(Code::corrupt,
                "this is no text: there is " + in_quotes(std::string_view(&*odd, 1)) + " in its first line");
  }
}

}  // namespace

Dialect detect_dialect(std::string_view head, bool whole, std::optional<char> delimiter, std::optional<bool> header) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  Dialect dialect;
  if (head.starts_with(kMark)) dialect.skip_bytes = kMark.size();
  std::string text(head.substr(dialect.skip_bytes));
  require_text(std::string_view(text).substr(0, text.find('\n')));
  // What is cut off in the middle would look ragged.
  const std::size_t last = text.rfind('\n');
  if (!whole && last != std::string::npos) text.resize(last + 1);
  if (text.empty() || text.back() != '\n') text += '\n';
  dialect.delimiter = delimiter ? *delimiter : find_delimiter(text);
  std::size_t at = 0;
  Record first = read_record(text, at, dialect.delimiter);
  if (first.empty()) throw Error(Code::corrupt, "the file is empty");
  std::size_t behind = at;
  const Record second = read_record(text, behind, dialect.delimiter);
  dialect.has_header = header ? *header : is_header(first, second);
  if (dialect.has_header) {
    dialect.skip_lines =
        static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    dialect.skip_bytes = std::min(dialect.skip_bytes + at, head.size());
  } else {
    for (std::string& name : first) name.clear();
  }
  dialect.names = told_apart(std::move(first));
  return dialect;
}

}  // namespace expose::io

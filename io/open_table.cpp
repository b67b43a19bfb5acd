#include <algorithm>
#include <string_view>
#include <utility>

#include "expose/base/error.hpp"
#include "io/csv.hpp"
#include "io/many_tables.hpp"
#include "io/ndjson.hpp"
#include "io/npy.hpp"
#include "io/parquet.hpp"
#include "io/table_reader.hpp"
#include "io/text_table.hpp"

namespace expose::io {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHead = std::size_t{256} << 10;  // bytes that are looked at before a file is read
constexpr struct {
  std::size_t at;  // the byte where the mark of such files stands
  std::string_view mark;
  const char* program;
} kPacked[] = {{0, "\xfd\x37zXZ\0"sv, "xz"}, {4, "1AY&SY"sv, "bzip2"}, {0, "\x04\x22\x4d\x18"sv, "lz4"}};
constexpr std::string_view kNumpy = "\x93NUMPY", kParquet = "PAR1";

struct Head {
  std::string bytes;
  bool whole = false;  // the file has no more
};

bool has_extension(std::string path, std::initializer_list<std::string_view> extensions) {
  std::ranges::transform(path, path.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view packed : {".gz"sv, ".zst"sv}) {
    if (path.ends_with(packed)) path.resize(path.size() - packed.size());
  }
  return std::ranges::any_of(extensions, [&](std::string_view extension) { return path.ends_with(extension); });
}

bool is_json(std::string_view head, const std::string& path) {
  if (has_extension(path, {".json", ".jsonl", ".ndjson"})) return true;
  if (has_extension(path, {".csv", ".tsv"})) return false;
  const std::size_t first = head.find_first_not_of("\xef\xbb\xbf \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

// How many lines tell what the file is. A pipe may let us wait for more: a header is told from a row by the line behind
// it, an object by itself.
std::size_t lines_needed(std::string_view head, const std::string& path, const ReadOptions& options) {
  if (head.starts_with(kNumpy) || head.starts_with(kParquet)) return 0;
  return is_json(head, path) || (options.header && options.delimiter) ? 1 : 2;
}

// As many lines as it takes, or a line as long as lines may be. A failure here comes again when the rows are read,
// unless there are none before it.
Head read_head(ByteStream& stream, const std::string& path, const ReadOptions& options) {
  Head head;
  std::size_t newlines = 0;
  try {
    for (std::size_t size = 0;;) {
      head.bytes.resize(size + kHead);
      const std::size_t n = stream.read(std::span(head.bytes).subspan(size));
      head.bytes.resize(size + n);
      newlines += static_cast<std::size_t>(std::ranges::count(std::string_view(head.bytes).substr(size), '\n'));
      size += n;
      head.whole = n == 0;
      const bool enough =
          newlines >= lines_needed(head.bytes, path, options) && (size >= kHead || (!options.again && !stream.ready()));
      if (head.whole || enough || size >= options.most_line_bytes) return head;
    }
  } catch (const Error&) {
    if (newlines == 0) throw;
    return head;
  }
}

// By its name, or by an object right behind the bracket.
bool is_json_list(std::string_view head, const std::string& path) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = std::min(head.find_first_not_of(kBlanks), head.size());
  if (!head.substr(first).starts_with('[')) return false;
  const std::size_t second = std::min(head.find_first_not_of(kBlanks, first + 1), head.size());
  return has_extension(path, {".json", ".jsonl", ".ndjson"}) || head.substr(second).starts_with('{');
}

void require_readable(std::string_view head, const std::string& path) {
  if (head.empty()) throw Error(Code::corrupt, "the file is empty");
  if (head.starts_with("PK\x03\x04")) {
    throw Error(Code::corrupt, "this is a zip archive, as spreadsheets are; unpack it, or save the sheet as csv");
  }
  for (const auto& packed : kPacked) {
    if (!head.substr(std::min(packed.at, head.size())).starts_with(packed.mark)) continue;
    const std::string program = packed.program;
    throw Error(Code::corrupt, "this is packed by " + program +
                                   ", only gz and zst are unpacked here; pipe it in: " + program + " -dc FILE | ..");
  }
  if (is_json_list(head, path)) {
    throw Error(Code::corrupt, "this is a JSON list; one object a line is wanted: jq -c '.[]' FILE");
  }
}

void require_line(const Head& head) {
  if (head.whole || head.bytes.find('\n') != std::string::npos) return;
  throw Error(Code::corrupt, "its first line has no end within " + std::to_string(head.bytes.size()) +
                                 " bytes, the most that a line may have; is this a table?");
}

std::unique_ptr<TextFormat> find_format(const Head& head, const std::string& path, const ReadOptions& options) {
  require_readable(head.bytes, path);
  if (is_json(head.bytes, path)) {
    require_line(head);
    return ndjson_format(head.bytes, head.whole);
  }
  std::optional<char> delimiter = options.delimiter;
  if (!delimiter && has_extension(path, {".tsv"})) delimiter = '\t';
  Dialect dialect = detect_dialect(head.bytes, head.whole, delimiter, options.header);
  require_line(head);  // last, as it says the least
  return csv_format(std::move(dialect));
}

std::unique_ptr<TableReader> open_one(const std::string& path, const ReadOptions& options) {
  std::string name = path == "-" ? "standard input" : path;
  std::unique_ptr<ByteStream> stream =
      open_file(path, {options.pipe_bytes, options.again}, options.stop, options.bytes_read);
  std::unique_ptr<TextFormat> format;
  try {
    stream = unpacked(std::move(stream));
    const Head head = read_head(*stream, path, options);
    if (!stream->rewind()) {
      throw Error(Code::invalid_argument, "its first lines have more than the " + std::to_string(options.pipe_bytes) +
                                              " bytes that are kept of a pipe");
    }
    if (head.bytes.starts_with(kNumpy)) return npy_table(std::move(stream), std::move(name), options);
    if (!head.bytes.empty() && (head.bytes.starts_with(kParquet) || has_extension(path, {".parquet"}))) {
      return parquet_table(std::move(stream), std::move(name), options);
    }
    format = find_format(head, path, options);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(name) != std::string_view::npos) throw;
    throw Error(error.code(), name + ": " + error.what());
  }
  return std::make_unique<TextTable>(std::move(stream), std::move(format), std::move(name), options);
}

}  // namespace

std::unique_ptr<TableReader> open_table(const std::vector<std::string>& paths, const ReadOptions& options) {
  if (paths.size() == 1) return open_one(paths.front(), options);
  if (paths.empty()) return open_one("-", options);
  return std::make_unique<ManyTables>(paths, options.again,
                                      [options](const std::string& path) { return open_one(path, options); });
}

}  // namespace expose::io

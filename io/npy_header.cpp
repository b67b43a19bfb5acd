#include "io/npy_header.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"
#include "io/text_format.hpp"

namespace expose::io {

namespace {

constexpr std::size_t kLongest = std::size_t{1} << 16;  // bytes of a header: those of tables have 128

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Code::corrupt, sentence); }

// What follows 'key': in the header, a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string name = "'" + std::string(key) + "':";
  const std::size_t at = header.find(name);
  if (at == std::string_view::npos) refuse("its header has no '" + std::string(key) + "'");
  std::string_view rest = header.substr(at + name.size());
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

std::vector<std::size_t> read_shape(std::string_view text) {
  std::vector<std::size_t> shape;
  if (!text.starts_with('(')) refuse("its header has no shape");
  text.remove_prefix(1);
  while (!text.empty() && text.front() != ')') {
    std::size_t n = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
    if (read.ec != std::errc()) refuse("its shape is no list of numbers");
    shape.push_back(n);
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    while (!text.empty() && (text.front() == ',' || text.front() == ' ')) text.remove_prefix(1);
  }
  if (text.empty()) refuse("its shape does not end");
  return shape;
}

void read_type(std::string_view text, NpyHeader& header) {
  const bool known = text.size() >= 5 && text[0] == '\'' && text[4] == '\'' &&
                     std::string_view("<>|=").find(text[1]) != std::string_view::npos;
  const std::string_view type = known ? text.substr(2, 2) : std::string_view();
  constexpr std::array<std::string_view, 11> kTypes = {"f4", "f8", "i1", "i2", "i4", "i8",
                                                       "u1", "u2", "u4", "u8", "b1"};
  for (const std::string_view candidate : kTypes) {
    if (type != candidate) continue;
    header.kind = type[0];
    header.bytes = static_cast<std::size_t>(type[1] - '0');
    const bool big = text[1] == '>';
    header.swapped = header.bytes > 1 && text[1] != '=' && big != (std::endian::native == std::endian::big);
    return;
  }
  refuse("its numbers are of type " + in_quotes(text.substr(0, text.find_first_of(",}"))) +
         "; float32, float64, integers and booleans are read: save array.astype('float64')");
}

}  // namespace

NpyHeader read_npy_header(ByteStream& stream) {
  std::array<char, 8> start{};
  if (read_fully(stream, start) < start.size() || std::string_view(start.data(), 6) != "\x93NUMPY")
    refuse("it is no .npy file");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    refuse("its format has version " + std::to_string(version) + ", those of 1 to 3 are read");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::array<char, 4> length_text{};
  if (read_fully(stream, std::span(length_text).first(length_bytes)) < length_bytes) refuse("it was cut in its header");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(length_text[i]);
  if (length > kLongest)
    refuse("its header has " + std::to_string(length) + " bytes, at most " + std::to_string(kLongest) + " are read");
  std::string text(length, '\0');
  if (read_fully(stream, text) < length) refuse("it was cut in its header");

  NpyHeader header;
  header.data = start.size() + length_bytes + length;
  read_type(value_of(text, "descr"), header);
  header.fortran = value_of(text, "fortran_order").starts_with("True");
  const std::vector<std::size_t> shape = read_shape(value_of(text, "shape"));
  if (shape.empty() || shape.size() > 2) {
    refuse("it has " + std::to_string(shape.size()) + " dimensions, a table has 1 or 2; reshape it to (rows, columns)");
  }
  header.rows = shape[0];
  header.columns = shape.size() == 2 ? shape[1] : 1;
  if (header.columns == 0) refuse("it has rows without columns");
  require_modest(header.columns);
  if (header.rows > std::numeric_limits<std::int64_t>::max() / (header.columns * header.bytes)) {
    refuse("it claims " + std::to_string(header.rows) + " rows of " + std::to_string(header.columns) + " columns");
  }
  return header;
}

}  // namespace expose::io

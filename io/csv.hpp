// csv: records of fields with a delimiter between them, as RFC 4180 says and as people write them.
//
// A field that begins with a quote ends with one; inside, the delimiter and newlines are text and "" is a quote. Quotes
// elsewhere are text. Blanks around fields without quotes say nothing; neither do empty lines, unless there is one
// column alone. A quote that is never closed costs its line, not the rest of the file. Lines end with LF or CRLF.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_format.hpp"

namespace expose::io {

// What the beginning of a file says about the rest.
struct Dialect {
  char delimiter = ',';
  bool has_header = true;
  std::vector<std::string> names;
  std::size_t skip_bytes = 0;  // byte order mark and header
  std::size_t skip_lines = 0;
};

// head: the beginning of the file; whole: it is all of it. The delimiter is the one that cuts the most records into as
// many fields as the first. The first record is a header if a name stands above a number, or if no field of it is one.
// Throws Code::corrupt, with what to do, for a head that is no text.
Dialect detect_dialect(std::string_view head, bool whole, std::optional<char> delimiter, std::optional<bool> header);

std::unique_ptr<TextFormat> csv_format(Dialect dialect);

}  // namespace expose::io

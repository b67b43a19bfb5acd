// How the fields of csv are told apart: the one place that knows about quotes.
//
// Bytes must end with a newline: it is what stops the scan. Pure functions.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace expose::io {

// The quote that closes a field, or nullptr. p: behind the opening one.
inline const char* closing_quote(const char* p, const char* end) {
  for (;;) {
    const auto* const quote = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (quote == nullptr || quote + 1 == end || quote[1] != '"') return quote;
    p = quote + 2;
  }
}

struct ScannedField {
  std::string_view text;  // in the bytes, or in the scratch
  const char* next;       // the delimiter, or the end of the line: LF, or CR before LF
  bool closed = true;     // false: a quote was opened and not closed; next is the end of that line
};

// The field at p. REQUIRES: p < end, end[-1] is a newline
ScannedField scan_field(const char* p, const char* end, char delimiter, std::string& scratch);

}  // namespace expose::io

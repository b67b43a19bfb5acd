// A text as a field of csv: in quotes where it must be (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace expose::cli {

inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace expose::cli

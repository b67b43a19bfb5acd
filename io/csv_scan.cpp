#include "io/csv_scan.hpp"

#include "expose/encode/field.hpp"

namespace expose::io {

namespace {

// The delimiter or the end of the line.
const char* plain_end(const char* p, char delimiter) {
  const char* const begin = p;
  while (*p != delimiter && *p != '\n') ++p;
  return *p == '\n' && p > begin && p[-1] == '\r' ? p - 1 : p;
}

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

ScannedField scan_field(const char* p, const char* end, char delimiter, std::string& scratch) {
  if (*p != '"') {
    const char* const next = plain_end(p, delimiter);
    return {trimmed(between(p, next)), next};
  }
  const char* const first = p + 1;
  const char* const close = closing_quote(first, end);
  if (close == nullptr) {
    const auto* const line = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    return {between(p, line), line, false};
  }
  const char* const next = plain_end(close + 1, delimiter);
  const std::string_view inside = between(first, close);
  std::string_view behind = between(close + 1, next);
  while (!behind.empty() && (behind.back() == ' ' || behind.back() == '\t')) behind.remove_suffix(1);
  if (behind.empty() && inside.find('"') == std::string_view::npos) return {inside, next};
  scratch.clear();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    scratch += inside[i];
    if (inside[i] == '"') ++i;  // its twin
  }
  scratch += behind;
  return {scratch, next};
}

}  // namespace expose::io

#include "expose/encode/field.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace expose {

namespace {

constexpr std::size_t kShown = 40;  // characters of a field that a sentence shows

bool is_blank(char c) { return c == ' ' || c == '\t'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letters(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, lower);
}

// Whether digits that no double can hold are too large, not too small: the power of ten of their first digit that is
// not 0. REQUIRES: the text is a decimal number without a sign
bool is_large(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = std::min(digits.find_first_of("123456789"), digits.size());
  if (e == text.size()) return first < point;
  const bool negative = text[e + 1] == '-';
  const std::string_view exponent = text.substr(e + 1 + (is_digit(text[e + 1]) ? 0 : 1));
  long long power = 0;
  const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  if (read.ec != std::errc()) return !negative;
  return (negative ? -power : power) + static_cast<long long>(point) > static_cast<long long>(first);
}

// How many bytes the character at the front has; 0 where there is none (RFC 3629, table 3-7 of Unicode).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xc2 && first < 0xe0   ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  const bool too_long_or_high = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                                (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return too_long_or_high ? 0 : n;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_missing(std::string_view text) {
  text = trimmed(text);
  switch (text.size()) {
    case 0:
      return true;
    case 1:
      return text == "?";
    case 2:
      return same_letters(text, "na");
    case 3:
      return same_letters(text, "nan");
    case 4:
      return same_letters(text, "null") || same_letters(text, "-nan");  // as C prints some of them
    default:
      return false;
  }
}

Field read_number(std::string_view text, double& value) {
  text = trimmed(text);
  if (is_missing(text)) {
    value = std::numeric_limits<double>::quiet_NaN();
    return Field::missing;
  }
  std::string_view digits = text;
  const bool negative = digits.front() == '-';
  if (negative || digits.front() == '+') digits.remove_prefix(1);
  if (digits.empty() || digits.front() == '-') return Field::other;
  if (same_letters(digits, "inf") || same_letters(digits, "infinity")) return Field::infinite;
  if (!is_digit(digits.front()) && digits.front() != '.') return Field::other;
  double size = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, size);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) return Field::other;
  if (read.ec == std::errc::result_out_of_range) {
    if (is_large(digits)) return Field::infinite;
    size = 0;
  }
  if (std::isinf(size)) return Field::infinite;
  value = negative ? -size : size;
  return Field::number;
}

std::string as_utf8(std::string_view text) {
  constexpr std::string_view kUnreadable = "\xef\xbf\xbd";
  std::string clean;
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    clean += n > 0 ? text.substr(0, n) : kUnreadable;
    text.remove_prefix(std::max<std::size_t>(1, n));
  }
  return clean;
}

std::string in_quotes(std::string_view text) {
  constexpr std::array<char, 17> kHex = {"0123456789abcdef"};
  std::string shown = "'";
  for (const char c : as_utf8(text.substr(0, kShown))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      shown += c;
    } else {
      shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return shown + (text.size() > kShown ? "..'" : "'");
}

std::string no_number(std::string_view column, std::string_view text, Field kind) {
  return "column '" + std::string(column) + "': " + in_quotes(text) +
         (kind == Field::infinite ? " is beyond the largest number" : " is no number");
}

}  // namespace expose

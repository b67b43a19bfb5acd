// What the text of one field means: a number, a missing value, or neither.
//
// Empty, NA, NaN, null and ? are missing, in any case of letters; blanks around a field say nothing. Numbers are
// decimal, with a point, and read as the nearest double. Pure functions; any number of threads may call them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace expose {

enum class Field : std::uint8_t {
  number,
  missing,
  infinite,  // inf, or digits beyond the largest double: a number to the eye, but not one to compute with
  other,
};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

bool is_missing(std::string_view text);

// Sets `value` to the number, to NaN where it is missing; else leaves it.
Field read_number(std::string_view text, double& value);
inline bool is_number(std::string_view text) {
  double value = 0;
  return read_number(text, value) == Field::number;
}

// The text as UTF-8: bytes that are none become U+FFFD, the mark for what cannot be read.
std::string as_utf8(std::string_view text);

// The text for a sentence: in quotes, cut after a few characters, unprintable bytes as \xNN.
std::string in_quotes(std::string_view text);

// Why a field of a column of numbers is none: "column 'amount': 'abc' is no number".
// REQUIRES: kind is what read_number said, infinite or other
std::string no_number(std::string_view column, std::string_view text, Field kind);

}  // namespace expose

#include "expose/base/rows.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "expose/base/error.hpp"

namespace expose {
namespace {

// NaN and infinity are the numbers whose exponent bits are all ones: one more and there is a carry into the sign.
// Integer work without a branch, which compilers turn into vector code (a comparison of floats may not be reordered).
template <class Bits, class Number>
bool no_carry(std::span<const Number> values, Bits exponent) {
  const Bits one = exponent & (~exponent + 1);
  Bits sums = 0;
  for (const Number value : values) sums |= (std::bit_cast<Bits>(value) & exponent) + one;
  return sums >> (8 * sizeof(Bits) - 1) == 0;
}

[[noreturn]] void throw_first_in(std::span<const float> row, std::size_t i) {
  std::size_t j = 0;
  while (std::isfinite(row[j])) ++j;
  const char* value = std::isnan(row[j]) ? "nan" : row[j] > 0 ? "inf" : "-inf";
  throw Error(Code::not_finite, "row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + " is " + value);
}

}  // namespace

bool all_finite(std::span<const float> values) { return no_carry<std::uint32_t>(values, 0x7f800000); }
bool all_finite(std::span<const double> values) { return no_carry<std::uint64_t>(values, 0x7ff0000000000000); }

void require_shape(const void* data, std::size_t n, std::size_t d, std::size_t stride) {
  if (stride < d) {
    throw Error(Code::shape_mismatch, "rows have " + std::to_string(d) + " columns, but start only " +
                                          std::to_string(stride) + " numbers apart");
  }
  if (n > 0 && d == 0) throw Error(Code::shape_mismatch, std::to_string(n) + " rows have 0 columns");
  if (n > 0 && data == nullptr) {
    throw Error(Code::invalid_argument,
                std::to_string(n) + " rows of " + std::to_string(d) + " columns are said to lie at a null pointer");
  }
}

std::size_t whole_rows(std::size_t numbers, std::size_t d) {
  const std::size_t n = d == 0 ? 0 : numbers / d;
  if (n * d == numbers) return n;
  throw Error(Code::shape_mismatch,
              std::to_string(numbers) + " numbers do not fill rows of " + std::to_string(d) + " columns");
}

Rows::Rows(const float* data, std::size_t n, std::size_t d, std::size_t stride)
    : data_(data), n_(n), d_(d), stride_(stride) {
  require_shape(data, n, d, stride);
}

Rows::Rows(std::span<const float> values, std::size_t d) : Rows(values.data(), whole_rows(values.size(), d), d) {}

// The bits of NaN are above those of infinity. Integers, which compilers turn into vector code.
bool has_missing(std::span<const float> row) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  std::uint32_t carry = 0;  // into the sign
  for (const float value : row) carry |= (std::bit_cast<std::uint32_t>(value) & 0x7fffffff) + (0x7fffffff - kInfinity);
  return carry >> 31 != 0;
}

// A table without gaps is one long row.
bool any_missing(Rows rows) {
  if (rows.stride() == rows.d()) return has_missing({rows.data(), rows.n() * rows.d()});
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (has_missing(rows[i])) return true;
  }
  return false;
}

void require_finite(Rows rows) {
  // A table without gaps is one long row: the test then costs the same for 2 columns as for 2000.
  const bool gapless = rows.stride() == rows.d();
  if (gapless && all_finite({rows.data(), rows.n() * rows.d()})) return;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (!all_finite(rows[i])) throw_first_in(rows[i], i);
  }
}

void require_columns(Rows rows, std::size_t d, const char* taker) {
  if (rows.d() == d) return;
  throw Error(Code::shape_mismatch,
              "rows have " + std::to_string(rows.d()) + " columns, the " + taker + " takes " + std::to_string(d));
}

}  // namespace expose

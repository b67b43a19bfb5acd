#include "expose/base/records.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "expose/base/error.hpp"

namespace expose {

namespace {

// Adding 0 makes -0 a 0 and changes no other number. Returns whether there is a NaN, whose bits are above those of
// infinity: integer work without a branch, in one loop that compilers turn into vector code.
template <class Number>
bool copy_canonical(const Number* from, std::span<double> row) {
  constexpr std::uint64_t kInfinity = 0x7ff0000000000000, kNoSign = 0x7fffffffffffffff;
  std::uint64_t carry = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    row[k] = static_cast<double>(from[k]) + 0.0;
    carry |= (std::bit_cast<std::uint64_t>(row[k]) & kNoSign) + (kNoSign - kInfinity);
  }
  return carry >> 63 != 0;
}

// Whether there is neither NaN, nor infinity, nor -0: one more and a full exponent carries into the sign; one less and
// a number without any bit, which -0 is without its sign, borrows from it.
bool no_number_changes(std::span<const double> values) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63, kExponent = 0x7ff0000000000000, kOne = 0x0010000000000000;
  std::uint64_t found = 0;
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t turned = bits ^ kSign;
    found |= ((bits & kExponent) + kOne) | (~turned & (turned - 1));
  }
  return found >> 63 == 0;
}

}  // namespace

Records::Records(const double* data, std::size_t n, std::size_t d, std::size_t stride)
    : doubles_(data), n_(n), d_(d), stride_(stride) {
  require_shape(data, n, d, stride);
}

Records::Records(std::span<const double> values, std::size_t d)
    : Records(values.data(), whole_rows(values.size(), d), d) {}

bool Records::all_finite() const {
  // A table without gaps is one long row: the test then costs the same for 2 columns as for 2000.
  const bool gapless = stride_ == d_;
  const std::size_t length = gapless ? n_ * d_ : d_;
  bool finite = true;
  for (std::size_t i = 0; i < (gapless ? 1 : n_) && finite; ++i) {
    finite = is_double() ? expose::all_finite(std::span(doubles(i), length))
                         : expose::all_finite(std::span(floats(i), length));
  }
  return finite;
}

bool Records::all_canonical() const {
  if (!is_double() || stride_ != d_) return false;
  return no_number_changes({doubles_, n_ * d_});
}

void Records::canonical(std::size_t i, std::span<double> row) const {
  if (!(is_double() ? copy_canonical(doubles(i), row) : copy_canonical(floats(i), row))) return;
  for (double& value : row) value = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

Records Records::slice(std::size_t begin, std::size_t end) const {
  Records part(*this);
  if (is_double()) {
    part.doubles_ += begin * stride_;
  } else {
    part.floats_ += begin * stride_;
  }
  part.n_ = end - begin;
  return part;
}

}  // namespace expose

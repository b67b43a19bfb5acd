#include "expose/base/records.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "expose/base/error.hpp"

namespace expose {

Records::Records(const double* data, std::size_t n, std::size_t d, std::size_t stride)
    : doubles_(data), n_(n), d_(d), stride_(stride) {
  require_shape(data, n, d, stride);
}

Records::Records(std::span<const double> values, std::size_t d)
    : Records(values.data(), whole_rows(values.size(), d), d) {}

void Records::canonical(std::size_t i, std::span<double> row) const {
  for (std::size_t k = 0; k < d_; ++k) {
    const double value = at(i, k);
    row[k] = value == 0 ? 0.0 : std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
  }
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

// Records: what comes in, before it is scaled: a view of n rows with d numbers each, float or double.
//
// Everything that takes Records gives the same answer for float x and double x. A view owns nothing; the numbers must
// outlive it. Rows are contiguous, `stride` numbers apart. Cheap to copy; any number of threads may read through it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expose/base/rows.hpp"

namespace expose {

class EXPOSE_API Records {
 public:
  Records() = default;
  Records(Rows rows) : floats_(rows.data()), n_(rows.n()), d_(rows.d()), stride_(rows.stride()) {}
  // Throws as Rows does.
  Records(const double* data, std::size_t n, std::size_t d) : Records(data, n, d, d) {}
  Records(const double* data, std::size_t n, std::size_t d, std::size_t stride);
  Records(std::span<const double> values, std::size_t d);
  Records(std::vector<double>&& values, std::size_t d) = delete;

  std::size_t n() const { return n_; }
  std::size_t d() const { return d_; }
  std::size_t stride() const { return stride_; }
  bool empty() const { return n_ == 0; }
  bool is_double() const { return doubles_ != nullptr; }

  // REQUIRES: i < n(), k < d()
  double at(std::size_t i, std::size_t k) const {
    return is_double() ? doubles_[i * stride_ + k] : static_cast<double>(floats_[i * stride_ + k]);
  }
  // The numbers of row i. REQUIRES: i < n(), and is_double() / !is_double()
  const double* doubles(std::size_t i) const { return doubles_ + i * stride_; }
  const float* floats(std::size_t i) const { return floats_ + i * stride_; }

  // Whether there is neither NaN nor infinity in any row.
  bool all_finite() const;

  // Whether all rows are gapless finite doubles in the form below already. False may be wrong.
  bool all_canonical() const;

  // Row i as doubles in canonical form: -0 is 0 and there is one NaN, so that equal rows have equal bytes.
  // REQUIRES: i < n(), row.size() == d()
  void canonical(std::size_t i, std::span<double> row) const;

  // Records [begin, end). REQUIRES: begin <= end <= n()
  Records slice(std::size_t begin, std::size_t end) const;

 private:
  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  std::size_t n_ = 0;
  std::size_t d_ = 0;
  std::size_t stride_ = 0;
};

}  // namespace expose

// Rows: a view of n observations with d numbers each, one a row, that carries its shape.
//
// A view owns nothing; the numbers must outlive it. Rows are contiguous, `stride` floats apart (at least d).
// Cheap to copy; any number of threads may read through it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expose/base/api.hpp"

namespace expose {

class EXPOSE_API Rows {
 public:
  Rows() = default;
  // Throws if stride < d or if a table without columns has rows.
  Rows(const float* data, std::size_t n, std::size_t d) : Rows(data, n, d, d) {}
  Rows(const float* data, std::size_t n, std::size_t d, std::size_t stride);
  // values.size() must be a multiple of d: row after row.
  Rows(std::span<const float> values, std::size_t d);
  // Keeps temporaries from being viewed after they are gone.
  Rows(std::vector<float>&& values, std::size_t d) = delete;

  std::size_t n() const { return n_; }
  std::size_t d() const { return d_; }
  std::size_t stride() const { return stride_; }
  bool empty() const { return n_ == 0; }
  const float* data() const { return data_; }

  // REQUIRES: i < n()
  std::span<const float> operator[](std::size_t i) const { return {data_ + i * stride_, d_}; }

  // Rows [begin, end). REQUIRES: begin <= end <= n()
  Rows slice(std::size_t begin, std::size_t end) const {
    Rows part(*this);
    part.data_ += begin * stride_;
    part.n_ = end - begin;
    return part;
  }

 private:
  const float* data_ = nullptr;
  std::size_t n_ = 0;
  std::size_t d_ = 0;
  std::size_t stride_ = 0;
};

// What every view of rows asks for: stride >= d, no rows without columns, no rows at a null pointer. Throws otherwise.
void require_shape(const void* data, std::size_t n, std::size_t d, std::size_t stride);
// How many rows of d columns some numbers make. Throws Code::shape_mismatch if the last one is not whole.
std::size_t whole_rows(std::size_t numbers, std::size_t d);

// Whether there is neither NaN nor infinity.
bool all_finite(std::span<const float> values);
bool all_finite(std::span<const double> values);

// Whether a value is missing, NaN.
bool has_missing(std::span<const float> row);
bool any_missing(Rows rows);

// Throws Code::not_finite with the first NaN or infinity ("row 3, column 7 is nan"), counted from 1.
EXPOSE_API void require_finite(Rows rows);

// Throws Code::shape_mismatch unless rows.d() == d: "rows have 7 columns, the <taker> takes 8".
EXPOSE_API void require_columns(Rows rows, std::size_t d, const char* taker);

}  // namespace expose

// Scaler: brings the columns of a table to one scale, so that a distance between rows means something.
//
// Fitted on a sample, then frozen: a part of the plan. Its answer for a row depends on that row alone, and neither the
// order of the sample's rows nor float or double changes a bit of it. Immutable; threads may share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "expose/base/api.hpp"
#include "expose/base/records.hpp"

namespace expose {

// How a value x of a column becomes a number of the scaled row:
enum class Scale : std::uint8_t {
  robust,  // asinh((x - m) / s), m = median, s = max(1.4826 MAD, sd / 4): outliers are drawn in
  zscore,  // (x - m) / s, m = mean, s = sd (of n, not n - 1)
  none,    // x - m, m = median: a frozen centre, or large offsets would eat the digits of the differences
};

// "robust", "zscore", "none"
EXPOSE_API std::string name(Scale scale);
// The scale of that name; throws Code::invalid_argument, naming the three, for any other.
EXPOSE_API Scale scale_named(const std::string& name);

// Which columns stay. A column that is constant in the sample says nothing about how far is far: it drops out. If all
// are constant (one row, or copies of it), all stay, so that a later row that differs in any column can look unlike;
// the spread of a column is then 2^-10 of its value (2^-10 where that is 0, and 1 for none).
//
// NaN is a missing value: centre and spread are those of the values that are there, and NaN stays NaN.
//
// Spreads of robust and zscore are at least 2^-44 of the centre (256 units in the last place of a double): rounding
// noise, such as 0.1 + 0.2 beside 0.3, stays near 0 instead of looking like a signal.
class EXPOSE_API Scaler {
 public:
  // All that a scaler knows, for the model file.
  struct State {
    Scale kind = Scale::robust;
    std::uint64_t inputs = 0;
    std::vector<std::uint32_t> kept;  // ascending
    std::vector<double> centre;       // m and s of the kept columns
    std::vector<double> spread;
    bool operator==(const State&) const = default;
  };

  // Throws Code::invalid_argument for a sample without rows, Code::not_finite for infinity in it.
  // REQUIRES: sample.d() < 2^32
  static Scaler fit(Scale kind, Records sample);

  // Throws Code::corrupt unless the parts of the state fit together and its numbers are such as fit leaves.
  static Scaler from_state(State state);
  const State& state() const { return state_; }

  Scale kind() const { return state_.kind; }
  std::size_t inputs() const { return state_.inputs; }                    // columns that come in
  std::size_t d() const { return state_.kept.size(); }                    // columns that stay, at least 1
  const std::vector<std::uint32_t>& kept() const { return state_.kept; }  // which, counted from 0
  std::span<const double> centre() const { return state_.centre; }
  std::span<const double> spread() const { return state_.spread; }

  // Writes rows.n() x d() numbers. Each value is centred and divided in double and rounded once to float; what is
  // beyond the largest float is held there. No allocation. Throws Code::shape_mismatch for rows of another width or an
  // output of another size. REQUIRES: no infinity where kept (it is held); every NaN becomes the one quiet NaN
  void apply(Records rows, std::span<float> out) const;
  // How error bars go through the scale: errors has a standard deviation for each value of rows, in their units;
  // variances gets rows.n() x d() squares of what they are after scaling. For robust by the slope of asinh at the
  // value, which is right where the error is small beside the spread. A missing value gets 0. Throws as apply does, and
  // Code::invalid_argument for an error that is not finite or below 0.
  void apply_errors(Records rows, Records errors, std::span<float> variances) const;

  bool operator==(const Scaler&) const = default;

 private:
  explicit Scaler(State state);
  void require_shapes(Records rows, std::size_t room) const;

  State state_;
};

}  // namespace expose

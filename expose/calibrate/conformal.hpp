// Conformal: p-values of new rows, from the similarities of calibration rows that were drawn like the normal ones.
//
// p = (1 + #{s_cal >= s}) / (M + 1): if the new row is exchangeable with the M calibration rows, p <= alpha happens
// with a chance of at most alpha. Beyond the largest calibration surprise this stops at 1 / (M + 1); there it is
// continued by the tail of the calibration rows, so that far rows can be told apart.
// A pure function of the calibration rows, in any order. Immutable; any number of threads may share it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expose/calibrate/tail.hpp"

namespace expose {

class EXPOSE_API Conformal {
 public:
  // A calibration row may stand for several rows: its weight, only relative to the others, counts in place of 1, and
  // all weights together count M. No weights = all equal. Without rows every p is 1.
  // Throws Code::not_finite for a bad similarity, Code::shape_mismatch unless there is a weight for each similarity,
  // Code::invalid_argument for a weight that is not finite and above 0.
  explicit Conformal(std::span<const double> similarities, std::span<const double> weights = {});

  // In (0, 1]; a lower similarity has no higher p, but for rounding. O(log M). Throws Code::not_finite as surprise()
  // does.
  double p_value(double similarity) const;

  // M.
  std::size_t rows() const { return similarities_.size(); }
  // The calibration rows in ascending order, similarities below kSmallestSimilarity raised to it: what a model file
  // stores. Given to the constructor they make an equal object.
  std::span<const double> similarities() const { return similarities_; }
  std::span<const double> weights() const { return weights_; }
  // Throws Code::corrupt for numbers that no Conformal has.
  static Conformal from_state(std::span<const double> similarities, std::span<const double> weights);

 private:
  std::vector<double> similarities_;  // ascending
  std::vector<double> weights_;
  std::vector<double> rows_up_to_;  // how many of the M rows the first i calibration rows stand for
  Tail tail_;
};

}  // namespace expose

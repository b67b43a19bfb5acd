// GroupCalibration: how unlike a group of m rows is, from the similarities of M calibration rows.
//
// If the group is of normal rows, any m of the m + M rows could have been it. p is the share of those choices with a
// mean similarity as low or lower: it knows the size of the group and that M is finite. Not drawn, but computed: for
// one row by its rank, else by a double saddlepoint (Skovgaard, 1987; Robinson, 1982, for permutation tests), whose
// relative error stays small in the tail. No choice is rarer than 1 / (number of choices), so p is no smaller. A pure
// function of the calibration rows, in any order. Immutable; any number of threads may share it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expose/base/api.hpp"

namespace expose {

class EXPOSE_API GroupCalibration {
 public:
  // Throws Code::not_finite for a bad similarity.
  explicit GroupCalibration(std::span<const double> similarities);

  // M.
  std::size_t rows() const { return similarities_.size(); }
  std::span<const double> similarities() const { return similarities_; }

  // In (0, 1]. 1 for an empty group, without calibration rows, and where all rows are alike. O(m + M) times some 10.
  // Throws Code::not_finite for a bad similarity.
  double p_value(std::span<const double> group) const;

 private:
  std::vector<double> similarities_;  // ascending
};

}  // namespace expose

// StreamCalibration: p-values for the rows of a stream, calibrated on the rows its memory holds: all that came, those
// still in a window, or all with fading weights. Bounded: counts of surprises in bins, however long the stream.
//
// p = (1 + weight of the rows in this bin of surprise or a higher one) / (1 + weight of all), a conformal rank that
// errs on the side of normal; beyond the highest occupied bin it is continued by the tail of the counts.
// p is a pure function of the state. Whole counts do not depend on the order of rows, fading ones do, as they must.
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstddef>
#include <vector>

#include "expose/calibrate/surprise.hpp"

namespace expose {

// A p-value from fewer rows is hardly worth its name: with fewer than 19 the rank of a row unlike all others, 1 / (1 +
// rows), is above .05, and anything lower is extrapolation. Until then a stream is learning.
inline constexpr std::size_t kFewestRows = 20;

class EXPOSE_API StreamCalibration {
 public:
  // gamma > 0: each new row takes this share of their weight from the rows before; the newest weighs 1, all together
  // at most 1 / gamma. gamma = 0: nothing fades, and rows may be taken out again, as a window does.
  // Throws Code::invalid_argument for gamma outside [0, 1).
  explicit StreamCalibration(double gamma = 0.0);

  // Similarities are relative ones, eta / |w|^2. All three throw Code::not_finite as surprise() does.
  void add(double similarity);
  // Takes out a row that was added with this similarity. Throws Code::not_found if there is none like it,
  // Code::invalid_argument if rows fade: how much of it is left is not known.
  void subtract(double similarity);
  // In (0, 1]; a lower similarity has no higher p, but for rounding. 1 while there are no rows.
  double p_value(double similarity) const;

  double gamma() const { return gamma_; }
  // Of all rows; their number if nothing fades.
  double weight() const;

  // The numbers it consists of, beside gamma: what a model file stores.
  struct State {
    double newest = 1.0;          // the weight of the newest row, in the unit of the counts
    std::vector<double> weights;  // of the rows in each bin of SurpriseCounts
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  // Throws Code::corrupt for numbers that no stream can have led to.
  static StreamCalibration from_state(double gamma, State state);

  // Equal gamma, equal numbers.
  friend bool operator==(const StreamCalibration&, const StreamCalibration&) = default;

 private:
  void put(std::size_t bin, double weight);
  void refresh(std::size_t block);
  double weight_from(std::size_t bin) const;

  double gamma_;
  State state_;
  std::vector<double> blocks_;  // sums of kBlock bins each: always those of the bins as they are, so no state
};

}  // namespace expose

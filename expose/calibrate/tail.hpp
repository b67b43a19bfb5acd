// Tail: how likely a normal row is as surprising as s, from a censored exponential fitted to the bulk of the rows.
//
// Ranks of rows among themselves flag the same share of any table, clean or not; a tail that is fitted where the bulk
// is and extrapolated does not. With x = s - u, u the median, k the share of rows above it:
//   p = k T(x),   T(x) = (1 + x / (m theta))^(-m),
// the exact predictive tail of an exponential of which m of the rows above u were seen below the censoring point.
// A pure function of the counts. Immutable; any number of threads may share it.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "expose/calibrate/surprise.hpp"

namespace expose {

// No p-value is below this, the smallest normal double, however far a row is: 0 would claim certainty.
inline constexpr double kSmallestPValue = 0x1p-1022;

// Fading leaves traces of rows for ever; less than this of a row is none.
inline constexpr double kHalfARow = 0.5;

class EXPOSE_API Tail {
 public:
  // Of no rows: every p is 1.
  Tail() = default;
  // Few rows give a heavy tail, since m is small. With no row above u there is none to be fitted: T = 1.
  explicit Tail(const SurpriseCounts& counts);
  // The same from real counts of rows. REQUIRES: SurpriseCounts::kBins numbers >= 0 with a finite sum
  explicit Tail(std::span<const double> counts);

  // For a row that is itself among the counts: k T(s - u), below u its rank among the rows.
  // In (0, 1]; a lower similarity has no higher p, but for rounding. Throws Code::not_finite as surprise() does.
  double p_value(double similarity) const { return p_of_surprise(surprise(similarity)); }
  // The same for a similarity whose surprise is known.
  double p_of_surprise(double s) const;
  // The same for many: surprises become p-values.
  void to_p_values(std::span<double> surprises) const;

  // T(to - u) / T(from - u) for from <= to, surprises both: how the tail goes on beyond what was seen. In [0, 1].
  double decline(double from, double to) const;

  double u() const { return u_; }          // upper edge of the bin of the median
  double k() const { return k_; }          // share of rows above u; 1 / (n + 1) if there is none
  double m() const { return m_; }          // rows between u and the censoring point, at least 1
  double theta() const { return theta_; }  // mean of s - u in the exponential; infinity if there is no row above u
  double level() const { return level_; }  // share of the rows up to the censoring point: the rest may be anomalies

 private:
  std::size_t edge_bin(int level) const;
  void fit(std::span<const double> counts, int level);
  double log_survival(double s) const;
  double rank(double s) const;
  void to_declines(std::span<double> surprises) const;

  std::vector<double> rows_below_;  // rows in bins below this one; the last number is n
  std::size_t u_bin_ = 0;           // the first bin above u
  double u_ = SurpriseCounts::kLowest;
  double k_ = 1.0;
  double m_ = 1.0;
  double theta_ = std::numeric_limits<double>::infinity();
  double level_ = 1.0;
};

}  // namespace expose

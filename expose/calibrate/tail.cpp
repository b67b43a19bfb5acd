#include "expose/calibrate/tail.hpp"

#include <algorithm>
#include <array>

#include "expose/base/math.hpp"

namespace expose {
namespace {

// Levels in thousandths. u is the median; censoring starts at a level above which up to 20 % anomalies do no harm, and
// goes up while the tail explains the rows.
constexpr int kMedian = 500;
constexpr int kFirstLevel = 800;
constexpr std::array kNextLevels = {850, 900, 925, 950, 965, 980, 990, 995};
// It stops before a level with more than so many times the rows above it that the tail expects there ...
constexpr double kExcess = 1.5;
// ... or with fewer rows above it than this: too few to see that.
constexpr double kFewestAbove = 5.0;

// log(1 + x) to the last places for small x too: what 1 + x loses, the quotient gives back (W. Kahan).
double log_1p(double x) {
  const double sum = 1.0 + x;
  return sum == 1.0 ? x : portable::log(sum) * (x / (sum - 1.0));
}

std::vector<double> as_doubles(std::span<const std::int64_t> counts) {
  std::vector<double> result(counts.size());
  std::transform(counts.begin(), counts.end(), result.begin(), [](auto c) { return static_cast<double>(c); });
  return result;
}

}  // namespace

Tail::Tail(const SurpriseCounts& counts) : Tail(as_doubles(counts.counts())) {}

Tail::Tail(std::span<const double> counts) : rows_below_(counts.size() + 1) {
  for (std::size_t b = 0; b < counts.size(); ++b) rows_below_[b + 1] = rows_below_[b] + counts[b];
  const double n = rows_below_.back();
  u_bin_ = edge_bin(kMedian);
  u_ = SurpriseCounts::edge(u_bin_);
  const double above = n - rows_below_[u_bin_];
  if (above < kHalfARow) {
    k_ = 1.0 / (n + 1.0);  // a row there would be the first of n + 1
    return;
  }
  k_ = above / n;
  fit(counts, kFirstLevel);
  for (const int next : kNextLevels) {
    const int beyond = 1000 - next;
    if (beyond * n < 1000.0 * kFewestAbove) return;
    // Ties could leave no row above the edge of a level, so the tail has to explain the share that the level names, at
    // the quantile itself: in the middle of the bin that ends at the edge.
    const double quantile = SurpriseCounts::edge(edge_bin(next)) - 0.5 * SurpriseCounts::kBinWidth;
    if (beyond / 1000.0 > kExcess * k_ * decline(u_, quantile)) return;
    fit(counts, next);
  }
}

// The lowest bin with at least `level` thousandths of the rows below it.
std::size_t Tail::edge_bin(int level) const {
  const auto too_low = [&](double below) { return 1000.0 * below < level * rows_below_.back(); };
  const auto at = std::partition_point(rows_below_.begin(), rows_below_.end(), too_low);
  return static_cast<std::size_t>(at - rows_below_.begin());
}

// With c = edge(level) - u, at least one bin, m = rows in [u, u + c), A = rows above u, s in the middle of its bin:
//   theta = (sum of s - u over the m rows + (A - m) c) / m.
// The terms are multiples of 1/256, so whole counts are summed without rounding up to 2^40 rows. theta is at least
// 1/512: half a row or more is above u, and the middle of its bin is 1/256 or more away.
void Tail::fit(std::span<const double> counts, int level) {
  const std::size_t end = std::min(std::max(edge_bin(level), u_bin_ + 1), SurpriseCounts::kBins);
  double sum = (rows_below_.back() - rows_below_[end]) * (SurpriseCounts::edge(end) - u_);
  for (std::size_t b = u_bin_; b < end; ++b) {
    sum += counts[b] * (SurpriseCounts::edge(b) + 0.5 * SurpriseCounts::kBinWidth - u_);
  }
  // There may be no row to be seen where more than `level` of them share one bin. The tail is heaviest for m = 1.
  m_ = std::max(rows_below_[end] - rows_below_[u_bin_], 1.0);
  theta_ = sum / m_;
  level_ = level / 1000.0;
}

// ln T(s - u) = -m ln(1 + (s - u) / (m theta)); 0 below u.
double Tail::log_survival(double s) const { return -m_ * log_1p(std::max(s - u_, 0.0) / (m_ * theta_)); }

double Tail::decline(double from, double to) const {
  // A difference of logarithms, since both may be too small for a double.
  return portable::exp(std::min(log_survival(to) - log_survival(from), 0.0));
}

double Tail::p_value(double similarity) const {
  const double s = surprise(similarity);
  const std::size_t bin = SurpriseCounts::bin_of(s);
  if (bin < u_bin_) {
    const double n = rows_below_.back();
    return (n - rows_below_[bin]) / n;  // above 1/2, and so above k
  }
  return std::max(k_ * decline(u_, s), kSmallestPValue);
}

}  // namespace expose

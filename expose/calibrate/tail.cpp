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
double log_1p(double x, double log_of_sum) {
  const double sum = 1.0 + x;
  return sum == 1.0 ? x : log_of_sum * (x / (sum - 1.0));
}
double log_1p(double x) { return log_1p(x, portable::log(1.0 + x)); }

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

// Below u: above 1/2, and so above k.
double Tail::rank(double s) const {
  const double n = rows_below_.back();
  return (n - rows_below_[SurpriseCounts::bin_of(s)]) / n;
}

double Tail::p_of_surprise(double s) const {
  return SurpriseCounts::bin_of(s) < u_bin_ ? rank(s) : std::max(k_ * decline(u_, s), kSmallestPValue);
}

// decline(u, s) for each s, in loops over many.
void Tail::to_declines(std::span<double> surprises) const {
  std::vector<double> logs(surprises.size());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    surprises[i] = std::max(surprises[i] - u_, 0.0) / (m_ * theta_);
    logs[i] = 1.0 + surprises[i];
  }
  portable::log_all(logs);
  const double survival_at_u = log_survival(u_);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    surprises[i] = std::min(-m_ * log_1p(surprises[i], logs[i]) - survival_at_u, 0.0);
  }
  portable::exp_all(surprises);
}

void Tail::to_p_values(std::span<double> surprises) const {
  std::vector<std::size_t> above(surprises.size());  // u, and where they stand
  std::size_t count = 0;
  for (std::size_t i = 0; i < surprises.size(); ++i) {
    above[count] = i;
    count += SurpriseCounts::bin_of(surprises[i]) >= u_bin_ ? 1 : 0;
  }
  std::vector<double> declines(count);
  for (std::size_t j = 0; j < count; ++j) declines[j] = surprises[above[j]];
  to_declines(declines);
  for (std::size_t i = 0, j = 0; i < surprises.size(); ++i) {
    if (j < count && above[j] == i) {
      surprises[i] = std::max(k_ * declines[j++], kSmallestPValue);
    } else {
      surprises[i] = rank(surprises[i]);
    }
  }
}

}  // namespace expose

#include "expose/calibrate/group.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/math.hpp"
#include "expose/base/special.hpp"
#include "expose/base/text.hpp"
#include "expose/calibrate/tail.hpp"

namespace expose {
namespace {

constexpr double kSqrtTwoPi = 2.50662827463100050242;
constexpr int kMostSteps = 200;
// Nearer to the middle than this many sd, 1/u - 1/w of the saddlepoint has no digits left.
constexpr double kMiddle = 0.02;

void require_finite(std::span<const double> similarities, const char* whose) {
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    if (std::isfinite(similarities[i])) continue;
    throw Error(Code::not_finite, std::string("the similarity of ") + whose + " row " + std::to_string(i + 1) + " is " +
                                      text(similarities[i]) + ", it must be finite");
  }
}

// All m + M rows, their surprise centred and divided by its sd, the m of the group first; high = unlike.
struct Pooled {
  std::vector<double> x;
  double m = 0;
  double sum = 0;    // of the group
  double third = 0;  // mean of x^3

  double n() const { return static_cast<double>(x.size()); }
};

// Nothing where all rows are alike, but for rounding.
std::optional<Pooled> pool_up(std::span<const double> group, std::span<const double> calibration) {
  Pooled pooled;
  pooled.m = static_cast<double>(group.size());
  for (const double eta : group) pooled.x.push_back(-eta);
  for (const double eta : calibration) pooled.x.push_back(-eta);
  double mean = 0, size = 0;
  for (const double x : pooled.x) {
    mean += x / pooled.n();
    size = std::max(size, std::abs(x));
  }
  double squares = 0;
  for (const double x : pooled.x) squares += (x - mean) * (x - mean);
  const double sd = std::sqrt(squares / pooled.n());
  if (!(sd > 1e-12 * size)) return {};
  for (std::size_t i = 0; i < pooled.x.size(); ++i) {
    double& x = pooled.x[i];
    x = (x - mean) / sd;
    pooled.third += x * x * x / pooled.n();
    if (i < group.size()) pooled.sum += x;
  }
  return pooled;
}

// Each row is in with chance rho = m / n, independently; on condition that m are in, their sum S has the law we want.
//   K(s, t) = sum_i log(1 - rho + rho e^(s + t x_i)), and its derivatives
struct Cumulants {
  double K = 0, s = 0, t = 0, ss = 0, st = 0, tt = 0;
  double det() const { return ss * tt - st * st; }
};
Cumulants cumulants(const Pooled& pooled, double s, double t) {
  const double rho = pooled.m / pooled.n();
  Cumulants sum;
  for (const double x : pooled.x) {
    const double u = s + t * x;
    const double small = portable::exp(-std::abs(u));  // e^u or e^-u, whichever is at most 1
    const double of = u > 0 ? rho + (1 - rho) * small : 1 - rho + rho * small;
    const double in = (u > 0 ? rho : rho * small) / of;
    const double spread = in * ((u > 0 ? (1 - rho) * small : 1 - rho) / of);
    sum.K += std::max(u, 0.0) + portable::log(of);
    sum.s += in;
    sum.t += in * x;
    sum.ss += spread;
    sum.st += spread * x;
    sum.tt += spread * x * x;
  }
  return sum;
}

// The s, t with K_s = m, K_t = sum: the minimum of the convex K - s m - t sum, by Newton's method with halved steps.
struct Saddle {
  double s = 0, t = 0;
  Cumulants at;
};
std::optional<Saddle> find_saddle(const Pooled& pooled) {
  Saddle saddle;
  saddle.at = cumulants(pooled, 0, 0);
  const auto height = [&](const Cumulants& at, double s, double t) { return at.K - s * pooled.m - t * pooled.sum; };
  for (int step = 0; step < kMostSteps; ++step) {
    const Cumulants& at = saddle.at;
    const double gap_s = at.s - pooled.m, gap_t = at.t - pooled.sum;
    const double det = at.det();
    if (!(det > 0)) return {};
    const double step_s = -(at.tt * gap_s - at.st * gap_t) / det;
    const double step_t = -(at.ss * gap_t - at.st * gap_s) / det;
    const double slope = gap_s * step_s + gap_t * step_t;
    if (slope > -1e-13) return saddle;
    double share = 1;
    Cumulants next = cumulants(pooled, saddle.s + step_s, saddle.t + step_t);
    while (share > 1e-6 && !(height(next, saddle.s + share * step_s, saddle.t + share * step_t) <=
                             height(at, saddle.s, saddle.t) + 0.1 * share * slope)) {
      share /= 2;
      next = cumulants(pooled, saddle.s + share * step_s, saddle.t + share * step_t);
    }
    saddle = {saddle.s + share * step_s, saddle.t + share * step_t, next};
  }
  return {};
}

// The first term of Edgeworth's series: for the middle of the distribution.
double middle_tail(const Pooled& pooled, double z) {
  const double m = pooled.m, n = pooled.n(), M = n - m;
  const double variance = m * M / (n - 1);
  const double third = n > 2 ? m * M * (M - m) / ((n - 1) * (n - 2)) * pooled.third : 0.0;
  const double skewness = third / (variance * std::sqrt(variance));
  const double density = portable::exp(-z * z / 2) / kSqrtTwoPi;
  return portable::normal_tail(z) + skewness / 6 * (z * z - 1) * density;
}

// 1 / (n over m): one choice of all.
double rarest_choice(double m, double M) {
  return portable::exp(portable::log_gamma(m + 1) + portable::log_gamma(M + 1) - portable::log_gamma(m + M + 1));
}

// The tail beyond sum, on its own side of the mean:
//   P = P(N > w) + density(w) (1/u - 1/w),  w^2/2 = s m + t sum - K,  u = |t| sqrt(det K'' / K_ss(0, 0)),
// but no more than Chernoff's bound, e^(-w^2/2) / P(m are in): at the very end, where the formula fails, that is 1
// choice.
double tail_beyond(const Pooled& pooled, const Saddle& saddle, double rarest) {
  const double m = pooled.m, n = pooled.n(), M = n - m;
  const double depth = std::max(0.0, saddle.s * m + saddle.t * pooled.sum - saddle.at.K);
  const double w = std::sqrt(2 * depth);
  const double u = std::abs(saddle.t) * std::sqrt(saddle.at.det() / (m * M / n));
  const double log_m_are_in = m * portable::log(m / n) + M * portable::log(M / n) - portable::log(rarest);
  const double bound = portable::exp(-depth - log_m_are_in);
  if (!(w > 0 && u > 0)) return std::min(bound, 0.5);
  const double tail = portable::normal_tail(w) + portable::exp(-depth) / kSqrtTwoPi * (1 / u - 1 / w);
  return std::min(tail, bound);
}

// P(S >= sum). Where there is no saddle the group has the most unlike rows of all, or the most alike, or nearly.
double tail_of(const Pooled& pooled, double rarest) {
  const double n = pooled.n();
  const double z = pooled.sum / std::sqrt(pooled.m * (n - pooled.m) / (n - 1));
  if (std::abs(z) < kMiddle) return middle_tail(pooled, z);
  const std::optional<Saddle> saddle = find_saddle(pooled);
  const double beyond = saddle ? tail_beyond(pooled, *saddle, rarest) : rarest;
  return z > 0 ? beyond : 1.0 - beyond;
}

}  // namespace

GroupCalibration::GroupCalibration(std::span<const double> similarities)
    : similarities_(similarities.begin(), similarities.end()) {
  require_finite(similarities, "calibration");
  std::sort(similarities_.begin(), similarities_.end());
}

double GroupCalibration::p_value(std::span<const double> group) const {
  require_finite(group, "group");
  if (group.empty() || rows() == 0) return 1.0;
  if (group.size() == 1) {
    const auto as_low = std::upper_bound(similarities_.begin(), similarities_.end(), group[0]) - similarities_.begin();
    return (1.0 + static_cast<double>(as_low)) / (static_cast<double>(rows()) + 1.0);
  }
  std::vector<double> sorted(group.begin(), group.end());  // the order of rows decides no bit
  std::sort(sorted.begin(), sorted.end());
  const std::optional<Pooled> pooled = pool_up(sorted, similarities_);
  if (!pooled) return 1.0;
  const double rarest = std::max(rarest_choice(pooled->m, static_cast<double>(rows())), kSmallestPValue);
  return std::clamp(tail_of(*pooled, rarest), rarest, 1.0);
}

}  // namespace expose

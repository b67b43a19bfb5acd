#include "expose/score/trust.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "expose/score/error_bar.hpp"

namespace expose {
namespace {

// The value that a share of them stays below. REQUIRES: not empty
double quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// The spread that is seen has the noise in it: spread^2 = s^2 + noise^2. More frequencies leave s as it is, so with a
// noise of n' the share is n' / sqrt(s^2 + n'^2), which is kNoiseShare = q where n'^2 = s^2 q^2 / (1 - q^2).
std::size_t needed(std::size_t r, double noise, double spread) {
  constexpr double kSquare = kNoiseShare * kNoiseShare;
  constexpr double kLeast = 0.05;  // of what is seen: where noise is all that can be seen, at least say "much more"
  const double s_squared = std::max(spread * spread - noise * noise, kLeast * spread * spread);
  const double wanted = s_squared * kSquare / (1 - kSquare);
  return static_cast<std::size_t>(std::ceil(static_cast<double>(r) * noise * noise / wanted));
}

}  // namespace

Trust trust(const Similarity& model, Rows normal, Rows variances, Pool* pool) {
  Trust trust;
  trust.r_needed = model.map().r();
  if (normal.n() < 2) return trust;
  const std::vector<double> eta = variances.empty() ? model.of(normal, pool) : model.expected(normal, variances, pool);
  trust.spread = (quantile(eta, 0.75) - quantile(eta, 0.25)) / 1.349;
  std::vector<double> errors;
  for (const ErrorBar& bar : error_bars(model, normal, variances, pool)) errors.push_back(bar.monte_carlo);
  trust.noise = quantile(std::move(errors), 0.5);
  trust.enough = trust.noise <= kNoiseShare * trust.spread || trust.spread == 0;
  if (!trust.enough) trust.r_needed = needed(model.map().r(), trust.noise, trust.spread);
  return trust;
}

}  // namespace expose

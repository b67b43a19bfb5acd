#include "cli/report/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/report/axis.hpp"
#include "cli/report/charts.hpp"

namespace expose::cli {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Below this share of the largest similarity there is nothing to be seen: map and rounding decide it.
constexpr double kFarBelow = 1e-10;
// Similarities that differ by no larger factor are of one size.
constexpr double kOneSize = 20.0;

}  // namespace

bool is_judged(const Verdict& verdict) { return verdict.status == Status::ok && std::isfinite(verdict.similarity); }

double SimilarityScale::length(double similarity) const {
  return logarithmic ? std::log10(std::max(similarity, least)) : similarity;
}

double SimilarityScale::similarity(double length) const { return logarithmic ? std::pow(10.0, length) : length; }

std::size_t SimilarityScale::shade(double similarity) const {
  const Axis axis{low, high, static_cast<double>(kShades), 0.0};
  return std::min(static_cast<std::size_t>(axis.at(length(similarity))), kShades - 1);
}

std::optional<SimilarityScale> scale_of(std::span<const Verdict> verdicts) {
  double lowest = kInfinity, highest = -kInfinity, above_zero = kInfinity;
  for (const Verdict& verdict : verdicts) {
    if (!is_judged(verdict)) continue;
    lowest = std::min(lowest, verdict.similarity);
    highest = std::max(highest, verdict.similarity);
    if (verdict.similarity > 0) above_zero = std::min(above_zero, verdict.similarity);
  }
  if (highest == -kInfinity) return {};
  SimilarityScale scale{.low = lowest, .high = highest};
  if (highest > 0) {
    scale.least = std::max(above_zero, kFarBelow * highest);
    scale.logarithmic = highest > kOneSize * scale.least;
  }
  if (scale.logarithmic) {
    scale.low = std::log10(scale.least);
    scale.high = std::log10(highest);
  }
  const double room = 0.05 * std::max({std::abs(scale.low), std::abs(scale.high), 1e-6});
  if (scale.high - scale.low < 1e-6 * room) scale.low -= room, scale.high += room;
  return scale;
}

}  // namespace expose::cli

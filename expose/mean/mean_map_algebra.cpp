// Merging, unmerging, scaling and comparing mean maps; the inner product and the distance of two.
#include <algorithm>
#include <cmath>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"
#include "expose/base/text.hpp"
#include "expose/mean/exact.hpp"
#include "expose/mean/mean_map.hpp"

namespace expose {
namespace {

// Two states brought to common units: sums times `mine` and `theirs`, and the weights in those units.
struct Common {
  Common(const MeanMap::State& a, const MeanMap::State& b)
      : units(std::max(a.units_per_weight, b.units_per_weight)),
        mine(units / a.units_per_weight),
        theirs(units / b.units_per_weight),
        my_weight(a.weight * mine),
        their_weight(b.weight * theirs) {}

  double in_rows(std::int64_t weight) const { return static_cast<double>(weight) / static_cast<double>(units); }

  // Throws unless sums of this weight can be held in the common units.
  void require_fits(std::int64_t weight) const {
    if (weight <= kMaxWeight) return;
    throw Error(Code::overflow, "a mean would have to hold weight " + text(in_rows(weight)) +
                                    (units == 1 ? "" : " in steps of 1/1024") + ": exact sums hold at most " +
                                    text(in_rows(kMaxWeight)));
  }

  std::int64_t units;
  std::int64_t mine;
  std::int64_t theirs;
  std::int64_t my_weight;
  std::int64_t their_weight;
};

// |a - b|, which always fits without a sign.
std::uint64_t distance(std::int64_t a, std::int64_t b) {
  const std::uint64_t difference = static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
  return a >= b ? difference : 0 - difference;
}

// Throws if the sums that would be left are no sums of rows: |left_j| <= left weight x the largest feature.
// With whole weights arithmetic is exact, so one unit too much is proof. In fractions, operator*= has rounded: there
// a row's worth of disagreement is forgiven, and the caller clamps it away.
void require_learned(const MeanMap::State& a, const MeanMap::State& b, const Common& common) {
  const std::int64_t left = common.my_weight - common.their_weight;
  const std::int64_t forgiven = common.units == 1 ? 0 : kUnitsPerWeight;
  const std::uint64_t bound = static_cast<std::uint64_t>((left + forgiven) * kMostFeature);
  for (std::size_t j = 0; j < a.sums.size(); ++j) {
    const std::uint64_t rest = distance(a.sums[j] * common.mine, b.sums[j] * common.theirs);
    if (rest <= bound) continue;
    const double grid = FeatureMap::kGrid / static_cast<double>(common.units);
    throw Error(Code::not_found, "some of this was never learned: without it feature " + std::to_string(j + 1) +
                                     " would have a sum of size " + text(static_cast<double>(rest) * grid) +
                                     " at weight " + text(common.in_rows(left)));
  }
}

// s a / b rounded to the nearest whole number, halves away from 0: schoolbook, as the product may need 102 bits.
// REQUIRES: 0 < b <= 2^40, 0 <= a <= 2^40, |s| <= b kMostFeature
std::int64_t times_ratio(std::int64_t s, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 20;  // a = high kHalf + low
  const std::int64_t size = s < 0 ? -s : s;
  const std::int64_t rest = size % b;
  const std::int64_t high = rest * (a / kHalf);
  const std::int64_t low = high % b * kHalf + rest * (a % kHalf);
  const std::int64_t result = size / b * a + high / b * kHalf + (low + b / 2) / b;
  return s < 0 ? -result : result;
}

}  // namespace

void require_same_map(const FeatureMap& a, const FeatureMap& b) {
  if (a.fingerprint() == b.fingerprint()) return;
  throw Error(Code::incompatible, "these belong to different maps: one has fingerprint " + hex(a.fingerprint()) +
                                      ", the other " + hex(b.fingerprint()));
}

// mu[P_n] = (1/n) sum_i p(s_i): partial sums are added, so are their weights.
MeanMap& MeanMap::operator+=(const MeanMap& other) {
  require_same_map(*map_, *other.map_);
  const Common common(state_, other.state_);
  common.require_fits(common.my_weight + common.their_weight);
  for (std::size_t j = 0; j < state_.sums.size(); ++j) {
    state_.sums[j] = state_.sums[j] * common.mine + other.state_.sums[j] * common.theirs;
  }
  state_.weight = common.my_weight + common.their_weight;
  state_.units_per_weight = common.units;
  return *this;
}

MeanMap& MeanMap::operator-=(const MeanMap& other) {
  require_same_map(*map_, *other.map_);
  const Common common(state_, other.state_);
  if (common.their_weight > common.my_weight) {
    throw Error(Code::invalid_argument,
                "cannot forget weight " + text(other.weight()) + ": the mean has learned " + text(weight()));
  }
  common.require_fits(common.my_weight);
  require_learned(state_, other.state_, common);
  state_.weight = common.my_weight - common.their_weight;
  state_.units_per_weight = common.units;
  const std::int64_t bound = state_.weight * kMostFeature;
  for (std::size_t j = 0; j < state_.sums.size(); ++j) {
    const std::int64_t left = state_.sums[j] * common.mine - other.state_.sums[j] * common.theirs;
    state_.sums[j] = std::clamp(left, -bound, bound);
  }
  return *this;
}

// The sums follow the weight as it was rounded, so that the mean stays where it is.
MeanMap& MeanMap::operator*=(double factor) {
  if (!std::isfinite(factor) || factor < 0) {
    throw Error(Code::invalid_argument, "a mean can be multiplied by a finite factor >= 0, not by " + text(factor));
  }
  const bool whole = factor == std::floor(factor);
  const std::int64_t units = whole ? state_.units_per_weight : kUnitsPerWeight;
  const std::int64_t lift = units / state_.units_per_weight;
  const std::int64_t old_weight = state_.weight * lift;
  const double new_weight = static_cast<double>(old_weight) * factor;
  if (old_weight > kMaxWeight || new_weight > static_cast<double>(kMaxWeight)) {
    throw Error(Code::overflow, "weight " + text(weight()) + " cannot be multiplied by " + text(factor) +
                                    ": exact sums hold at most " +
                                    text(static_cast<double>(kMaxWeight) / static_cast<double>(units)));
  }
  if (old_weight == 0) return *this;
  state_.weight = std::llround(new_weight);
  state_.units_per_weight = units;
  for (std::int64_t& sum : state_.sums) sum = times_ratio(sum * lift, state_.weight, old_weight);
  return *this;
}

bool operator==(const MeanMap& a, const MeanMap& b) {
  if (a.map_->fingerprint() != b.map_->fingerprint() || a.weight() != b.weight()) return false;
  if (a.state_.units_per_weight == b.state_.units_per_weight) return a.state_.sums == b.state_.sums;
  const bool a_is_whole = a.state_.units_per_weight == 1;
  const AlignedVector<std::int64_t>& whole = a_is_whole ? a.state_.sums : b.state_.sums;
  const AlignedVector<std::int64_t>& fine = a_is_whole ? b.state_.sums : a.state_.sums;
  return std::equal(whole.begin(), whole.end(), fine.begin(), [](std::int64_t w, std::int64_t f) {
    return f % kUnitsPerWeight == 0 && f / kUnitsPerWeight == w;
  });
}

double inner(const FeatureMap& map, std::span<const double> a, std::span<const double> b) {
  const std::vector<double> dual = map.dual(b);
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * dual[j];
  return sum;
}

double inner(const MeanMap& a, const MeanMap& b) {
  require_same_map(a.map(), b.map());
  return inner(a.map(), a.mean(), b.mean());
}

// mmd = sqrt <mu_a - mu_b, mu_a - mu_b>; rounding may leave a difference of equals just below 0.
double mmd(const MeanMap& a, const MeanMap& b) {
  require_same_map(a.map(), b.map());
  std::vector<double> difference = a.mean();
  const std::vector<double> subtrahend = b.mean();
  for (std::size_t j = 0; j < difference.size(); ++j) difference[j] -= subtrahend[j];
  return std::sqrt(std::max(0.0, inner(a.map(), difference, difference)));
}

}  // namespace expose

#include "expose/mean/mean_map.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/interrupt.hpp"
#include "expose/base/pool.hpp"
#include "expose/base/text.hpp"
#include "expose/mean/exact.hpp"
#include "expose/mean/projected.hpp"
#include "expose/simd/features.hpp"

namespace expose {
namespace {

// Throws unless `added` units fit beside the `weight` that is there.
void require_room(std::int64_t weight, std::uint64_t added, std::int64_t units_per_weight) {
  if (added <= static_cast<std::uint64_t>(kMaxWeight - weight)) return;
  const double unit = static_cast<double>(units_per_weight);
  throw Error(Code::overflow, "weight " + text(static_cast<double>(added) / unit) + " does not fit on top of weight " +
                                  text(static_cast<double>(weight) / unit) + ": exact sums hold at most " +
                                  text(static_cast<double>(kMaxWeight) / unit));
}

// p(s) = sum_{x in s} phi(x), in units of the grid. Integers: whichever worker takes a block, the sum is the same.
std::vector<std::int64_t> partial_sum(const FeatureMap& map, Rows rows, Pool* pool) {
  std::vector<std::int64_t> sums(map.size(), 0);
  if (pool == nullptr || rows.n() <= kBlockRows) {
    map.accumulate(rows, sums);
    return sums;
  }
  std::vector<std::vector<std::int64_t>> sums_of(pool->threads());
  const std::size_t blocks = (rows.n() + kBlockRows - 1) / kBlockRows;
  pool->run(blocks, [&](std::size_t block, std::size_t worker) {
    std::vector<std::int64_t>& mine = sums_of[worker];
    if (mine.empty()) mine.resize(map.size(), 0);
    map.accumulate(rows.slice(block * kBlockRows, std::min(rows.n(), (block + 1) * kBlockRows)), mine);
  });
  for (const std::vector<std::int64_t>& part : sums_of) {
    for (std::size_t j = 0; j < part.size(); ++j) sums[j] += part[j];
  }
  return sums;
}

bool whole(double weight) { return weight == std::floor(weight); }

// The weights as whole multiples of 1 / units_per_weight. Throws unless they all fit into one mean.
std::vector<std::int64_t> in_units(std::span<const double> weights, std::int64_t units_per_weight) {
  const double unit = static_cast<double>(units_per_weight);
  std::vector<std::int64_t> units(weights.size());
  std::int64_t total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] * unit > static_cast<double>(kMaxWeight)) {
      throw Error(Code::overflow, "row " + std::to_string(i + 1) + " has weight " + text(weights[i]) +
                                      ": exact sums hold at most " + text(static_cast<double>(kMaxWeight) / unit));
    }
    units[i] = std::llround(weights[i] * unit);
    require_room(total, static_cast<std::uint64_t>(units[i]), units_per_weight);
    total += units[i];
  }
  return units;
}

void require_weights(std::size_t rows, std::span<const double> weights) {
  if (weights.size() != rows) {
    throw Error(Code::shape_mismatch,
                "there are " + std::to_string(weights.size()) + " weights for " + std::to_string(rows) + " rows");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i]) && weights[i] >= 0) continue;
    throw Error(Code::invalid_argument,
                "row " + std::to_string(i + 1) + " has weight " + text(weights[i]) + "; a weight is finite and >= 0");
  }
}

// sums_j += sum_i k_i phi_j(x_i): what adding x_i k_i times would give.
void add_repeated(std::span<const float> features, std::span<const std::int64_t> k, std::span<std::int64_t> sums) {
  for (std::size_t i = 0; i < k.size(); ++i) {
    const float* phi = features.data() + i * sums.size();
    // A feature is a whole number of grid units, so the conversion is exact.
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += k[i] * static_cast<std::int64_t>(phi[j] * static_cast<float>(kGridUnits));
    }
  }
}

void accumulate_repeated(const FeatureMap& map, Rows rows, std::span<const std::int64_t> k,
                         std::span<std::int64_t> sums) {
  for_projected(map, rows, [&](std::span<const float> features, std::size_t begin) {
    look_up();
    add_repeated(features, k.subspan(begin, features.size() / map.size()), sums);
  });
}

// What the metric of a map that is not Nystrom divides by: r, for isolation the number of partitions.
std::size_t shares(const FeatureMap& map) {
  if (map.recipe().kind != MapKind::isolation) return map.r();
  return (map.r() + map.block() - 1) / map.block();
}

}  // namespace

MeanMap::MeanMap(SharedMap map) : map_(std::move(map)) {
  if (map_ == nullptr) throw Error(Code::invalid_argument, "a mean map needs a feature map, not a null pointer");
  state_.sums.assign(map_->size(), 0);
}

double MeanMap::weight() const {
  return static_cast<double>(state_.weight) / static_cast<double>(state_.units_per_weight);
}

std::vector<double> MeanMap::sum() const {
  const double unit = FeatureMap::kGrid / static_cast<double>(state_.units_per_weight);
  std::vector<double> sum(state_.sums.size());
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = static_cast<double>(state_.sums[j]) * unit;
  return sum;
}

// mu[P_n] = (1/n) sum_i phi(x_i). The units of sum and weight cancel.
std::vector<double> MeanMap::mean() const {
  std::vector<double> mean(state_.sums.size(), 0.0);
  if (state_.weight == 0) return mean;
  const double n = static_cast<double>(state_.weight);
  for (std::size_t j = 0; j < mean.size(); ++j) {
    mean[j] = static_cast<double>(state_.sums[j]) * FeatureMap::kGrid / n;
  }
  return mean;
}

void MeanMap::add(Rows rows, Pool* pool) {
  require_columns(rows, map_->d(), "map");
  require_finite(rows);
  const std::int64_t units = state_.units_per_weight;
  if (rows.n() > static_cast<std::uint64_t>(kMaxWeight)) require_room(0, rows.n(), 1);
  const std::int64_t added = static_cast<std::int64_t>(rows.n()) * units;
  require_room(state_.weight, static_cast<std::uint64_t>(added), units);
  if (units == 1 && (pool == nullptr || rows.n() <= kBlockRows)) {
    map_->accumulate(rows, state_.sums);  // a stream's rows come here one by one: no copy of the sums
  } else {
    const std::vector<std::int64_t> part = partial_sum(*map_, rows, pool);
    for (std::size_t j = 0; j < part.size(); ++j) state_.sums[j] += units * part[j];
  }
  state_.weight += added;
}

void MeanMap::add_features(std::span<const float> features, std::span<const char> keep) {
  const std::size_t rows = whole_rows(features.size(), map_->size());
  if (!keep.empty() && keep.size() != rows) {
    throw Error(Code::shape_mismatch, "there are the features of " + std::to_string(rows) + " rows and " +
                                          std::to_string(keep.size()) + " marks of which to keep");
  }
  const auto kept = keep.empty() ? rows : rows - static_cast<std::size_t>(std::ranges::count(keep, 0));
  const std::uint64_t units = kept * static_cast<std::uint64_t>(state_.units_per_weight);
  require_room(state_.weight, units, state_.units_per_weight);
  const char* const kept_rows = keep.empty() ? nullptr : keep.data();
  if (state_.units_per_weight == 1) {
    simd::add_features(features.data(), rows, map_->size(), kept_rows, state_.sums.data());
  } else {
    std::vector<std::int64_t> sums(map_->size(), 0);
    simd::add_features(features.data(), rows, map_->size(), kept_rows, sums.data());
    for (std::size_t j = 0; j < sums.size(); ++j) state_.sums[j] += state_.units_per_weight * sums[j];
  }
  state_.weight += static_cast<std::int64_t>(units);
}

// The units of sum and weight cancel, as in mean().
double MeanMap::watch(std::span<const float> row) {
  if (sees_landmarks(map_->recipe().kind)) {
    throw Error(Code::invalid_argument,
                "rows of a Nystrom map are judged by a Similarity: its metric is no multiple of 1");
  }
  const std::int64_t units = state_.units_per_weight;
  require_room(state_.weight, static_cast<std::uint64_t>(units), units);
  const double n = static_cast<double>(std::max<std::int64_t>(state_.weight, 1));
  const double unit = FeatureMap::kGrid / n / static_cast<double>(shares(*map_));
  double cross = 0;
  if (units == 1) {
    cross = map_->watch(row, state_.sums);
  } else {
    AlignedVector<std::int64_t> sums = state_.sums;
    cross = map_->watch(row, sums);
    for (std::size_t j = 0; j < sums.size(); ++j) state_.sums[j] += units * (sums[j] - state_.sums[j]);
  }
  state_.weight += units;
  return cross * unit;
}

void MeanMap::add(Rows rows, std::span<const double> weights) {
  require_columns(rows, map_->d(), "map");
  require_finite(rows);
  require_weights(rows.n(), weights);
  add_weighted(weights, [&](std::span<const std::int64_t> k, std::span<std::int64_t> sums) {
    accumulate_repeated(*map_, rows, k, sums);
  });
}

void MeanMap::add_features(std::span<const float> features, std::span<const double> weights) {
  require_weights(whole_rows(features.size(), map_->size()), weights);
  add_weighted(weights,
               [&](std::span<const std::int64_t> k, std::span<std::int64_t> sums) { add_repeated(features, k, sums); });
}

// accumulate(k, sums) adds row i k_i times.
template <class Accumulate>
void MeanMap::add_weighted(std::span<const double> weights, const Accumulate& accumulate) {
  MeanMap part(map_);
  part.state_.units_per_weight = std::all_of(weights.begin(), weights.end(), whole) ? 1 : kUnitsPerWeight;
  const std::vector<std::int64_t> k = in_units(weights, part.state_.units_per_weight);
  for (const std::int64_t units : k) part.state_.weight += units;
  accumulate(k, part.state_.sums);
  *this += part;
}

void MeanMap::subtract(Rows rows, Pool* pool) {
  MeanMap part(map_);
  part.add(rows, pool);
  *this -= part;
}

void MeanMap::subtract(Rows rows, std::span<const double> weights) {
  MeanMap part(map_);
  part.add(rows, weights);
  *this -= part;
}

MeanMap MeanMap::from_state(SharedMap map, State state) {
  MeanMap mean(std::move(map));
  if (state.units_per_weight != 1 && state.units_per_weight != kUnitsPerWeight) {
    throw Error(Code::corrupt, "a mean has " + std::to_string(state.units_per_weight) +
                                   " units a weight; it can have 1 or " + std::to_string(kUnitsPerWeight));
  }
  if (state.weight < 0 || state.weight > kMaxWeight) {
    throw Error(Code::corrupt, "a mean weighs " + std::to_string(state.weight) + " units; it can weigh 0 to " +
                                   std::to_string(kMaxWeight));
  }
  if (state.sums.size() != mean.state_.sums.size()) {
    throw Error(Code::corrupt, "a mean has " + std::to_string(state.sums.size()) + " sums, its map has " +
                                   std::to_string(mean.state_.sums.size()) + " features");
  }
  const std::int64_t bound = state.weight * kMostFeature;
  for (std::size_t j = 0; j < state.sums.size(); ++j) {
    if (state.sums[j] >= -bound && state.sums[j] <= bound) continue;
    throw Error(Code::corrupt, "sum " + std::to_string(j + 1) + " of a mean is " + std::to_string(state.sums[j]) +
                                   "; at weight " + std::to_string(state.weight) + " its size is at most " +
                                   std::to_string(bound));
  }
  mean.state_ = std::move(state);
  return mean;
}

}  // namespace expose

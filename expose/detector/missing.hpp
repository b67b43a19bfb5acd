// Missing values, integrated out: what is not there is taken as N(m, v), the mean and variance of its column in the
// plan's sample, independent of the values beside it (law 5; docs/missing.md). A missing value is NaN in a scaled row.
//
// The one place where scaled rows become features or similarities in a detector. Rows without missing values take the
// way they would take without this, to the bit. Pure functions; any number of threads may call them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expose/base/pool.hpp"
#include "expose/map/feature_map.hpp"
#include "expose/mean/mean_map.hpp"
#include "expose/mean/projected.hpp"
#include "expose/score/similarity.hpp"

namespace expose {

// m and v of each kept column, scaled.
struct Unknown {
  std::vector<float> mean;
  std::vector<float> variance;
  bool operator==(const Unknown&) const = default;
};

// Throws Code::incompatible unless the map has so many columns and can integrate, and m is finite, v finite and >= 0.
void require_valid(const Unknown& unknown, const FeatureMap& map);

// Mean and variance over the values of each column that are there; 0 and 0 where there are none.
Unknown measure_unknown(Rows scaled);

bool all_missing(std::span<const float> row);

// Rows with missing values as rows with error bars: m for the value, v for its variance, 0 where nothing is missing.
struct Filled {
  std::size_t d = 0;
  std::vector<float> values = {};
  std::vector<float> variances = {};

  // bars: variances of the values that are there; empty: 0.
  void add(const std::optional<Unknown>& unknown, std::span<const float> row, std::span<const float> bars = {});
  Rows rows() const { return Rows(values, d); }
  Rows bars() const { return Rows(variances, d); }
};

// All rows so, without bars if nothing is missing in any.
Filled fill(const std::optional<Unknown>& unknown, Rows scaled);

// phi(x) for rows without missing values, E phi(x) for the others. Without `unknown` there are none.
void project(const FeatureMap& map, const std::optional<Unknown>& unknown, Rows scaled, std::span<float> features);

// The same for many rows, some at a time: take(features, begin), see mean/projected.hpp.
template <class Take>
void for_projected(const FeatureMap& map, const std::optional<Unknown>& unknown, Rows scaled, const Take& take) {
  const auto by = [&](Rows some, std::span<float> features) { project(map, unknown, some, features); };
  for_projected(map.size(), scaled, by, take);
}

// Adds the rows to a mean, likewise; weights as MeanMap::add takes them, empty: 1 each.
void add_rows(MeanMap& mean, const std::optional<Unknown>& unknown, Rows scaled, std::span<const double> weights = {});

// The similarity of each row to a model, likewise. bars: variances of the values that are there, a row for each row;
// empty: none.
std::vector<double> similarity_of(const Similarity& model, const std::optional<Unknown>& unknown, Rows scaled,
                                  Rows bars = {}, Pool* pool = nullptr);

// What a row adds to its own similarity: k(x, x), or |E phi(x)|^2 where values are missing.
double own_similarity(const FeatureMap& map, const std::optional<Unknown>& unknown, std::span<const float> row);

}  // namespace expose

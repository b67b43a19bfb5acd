#include "expose/detector/missing.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "expose/base/error.hpp"

namespace expose {

namespace {

bool is_missing(float value) { return std::isnan(value); }

}  // namespace

void require_valid(const Unknown& unknown, const FeatureMap& map) {
  if (unknown.mean.size() != map.d() || unknown.variance.size() != map.d()) {
    throw Error(Code::incompatible, "there are " + std::to_string(unknown.mean.size()) + " means and " +
                                        std::to_string(unknown.variance.size()) +
                                        " variances for missing values, the map takes " + std::to_string(map.d()) +
                                        " columns");
  }
  if (!map.integrates()) {
    const MapKind kind = map.recipe().kind;
    throw Error(Code::incompatible, "a map of kind " + name(kind) +
                                        (has_kernel(kind) ? " with the kernel " + name(map.kernel()) : "") +
                                        " cannot integrate missing values out");
  }
  const auto good = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(unknown.mean, good) || !std::ranges::all_of(unknown.variance, good) ||
      std::ranges::any_of(unknown.variance, [](float value) { return value < 0; })) {
    throw Error(Code::incompatible, "a mean for missing values is not finite, or a variance is below 0");
  }
}

// m_k = 1/n sum_i x_ik, v_k = 1/n sum_i (x_ik - m_k)^2 over the values that are there, all columns side by side.
Unknown measure_unknown(Rows scaled) {
  const std::size_t d = scaled.d();
  std::vector<double> n(d), mean(d), variance(d);
  for (std::size_t i = 0; i < scaled.n(); ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      const bool there = !is_missing(scaled[i][k]);
      n[k] += there ? 1.0 : 0.0;
      mean[k] += there ? static_cast<double>(scaled[i][k]) : 0.0;
    }
  }
  for (std::size_t k = 0; k < d; ++k) mean[k] = n[k] > 0 ? mean[k] / n[k] : 0.0;
  for (std::size_t i = 0; i < scaled.n(); ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      const double difference = is_missing(scaled[i][k]) ? 0.0 : static_cast<double>(scaled[i][k]) - mean[k];
      variance[k] += difference * difference;
    }
  }
  Unknown unknown;
  for (std::size_t k = 0; k < d; ++k) {
    unknown.mean.push_back(static_cast<float>(mean[k]));
    unknown.variance.push_back(static_cast<float>(std::min(n[k] > 0 ? variance[k] / n[k] : 0.0, 0x1p127)));
  }
  return unknown;
}

bool all_missing(std::span<const float> row) { return std::ranges::all_of(row, is_missing); }

void Filled::add(const std::optional<Unknown>& unknown, std::span<const float> row, std::span<const float> bars) {
  for (std::size_t k = 0; k < d; ++k) {
    const bool missing = unknown && is_missing(row[k]);
    values.push_back(missing ? unknown->mean[k] : row[k]);
    variances.push_back(missing ? unknown->variance[k] : bars.empty() ? 0.0F : bars[k]);
  }
}

Filled fill(const std::optional<Unknown>& unknown, Rows scaled) {
  Filled filled{scaled.d()};
  for (std::size_t i = 0; i < scaled.n(); ++i) filled.add(unknown, scaled[i]);
  if (!unknown || !any_missing(scaled)) filled.variances.clear();
  return filled;
}

void project(const FeatureMap& map, const std::optional<Unknown>& unknown, Rows scaled, std::span<float> features) {
  if (!unknown || !any_missing(scaled)) return map.project(scaled, features);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= scaled.n(); ++i) {
    if (i < scaled.n() && !has_missing(scaled[i])) continue;
    map.project(scaled.slice(begin, i), features.subspan(begin * map.size(), (i - begin) * map.size()));
    begin = i + 1;
    if (i == scaled.n()) break;
    Filled filled{map.d()};
    filled.add(unknown, scaled[i]);
    map.project_expected(filled.rows(), filled.bars(), features.subspan(i * map.size(), map.size()));
  }
}

void add_rows(MeanMap& mean, const std::optional<Unknown>& unknown, Rows scaled, std::span<const double> weights) {
  if (!unknown || !any_missing(scaled)) return weights.empty() ? mean.add(scaled) : mean.add(scaled, weights);
  MeanMap part(mean.shared_map());  // after an Error nothing has changed
  for_projected(mean.map(), unknown, scaled, [&](std::span<const float> features, std::size_t begin) {
    if (weights.empty()) {
      part.add_features(features);
    } else {
      part.add_features(features, weights.subspan(begin, features.size() / mean.map().size()));
    }
  });
  mean += part;
}

std::vector<double> similarity_of(const Similarity& model, const std::optional<Unknown>& unknown, Rows scaled,
                                  Rows bars, Pool* pool) {
  if (bars.empty() && (!unknown || !any_missing(scaled))) return model.of(scaled, pool);
  Filled filled{scaled.d()};
  for (std::size_t i = 0; i < scaled.n(); ++i) {
    filled.add(unknown, scaled[i], bars.empty() ? std::span<const float>() : bars[i]);
  }
  return model.expected(filled.rows(), filled.bars(), pool);
}

double own_similarity(const FeatureMap& map, const std::optional<Unknown>& unknown, std::span<const float> row) {
  if (!unknown || !has_missing(row)) return map.self_similarity(row);
  Filled filled{map.d()};
  filled.add(unknown, row);
  return map.own_similarity(filled.variances);
}

}  // namespace expose

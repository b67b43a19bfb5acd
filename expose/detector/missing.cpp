#include "expose/detector/missing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "expose/base/error.hpp"

namespace expose {

namespace {

bool is_missing(float value) { return std::isnan(value); }

bool has_bars(Rows bars, std::size_t i) {
  return !bars.empty() && std::ranges::any_of(bars[i], [](float variance) { return variance > 0; });
}

}  // namespace

void require_valid(const Unknown& unknown, const FeatureMap& map) {
  if (unknown.mean.size() != map.d() || unknown.variance.size() != map.d()) {
    throw Error(Code::incompatible, "there are " + std::to_string(unknown.mean.size()) + " means and " +
                                        std::to_string(unknown.variance.size()) +
                                        " variances for missing values, the map takes " + std::to_string(map.d()) +
                                        " columns");
  }
  if (!map.integrates()) {
    throw Error(Code::incompatible, "a map of kind " + name(map.recipe().kind) + " with the kernel " +
                                        name(map.kernel()) + " cannot integrate missing values out");
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

// The bits of NaN are above those of infinity. Integers, which compilers turn into vector code.
bool has_missing(std::span<const float> row) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  std::uint32_t carry = 0;  // into the sign
  for (const float value : row) carry |= (std::bit_cast<std::uint32_t>(value) & 0x7fffffff) + (0x7fffffff - kInfinity);
  return carry >> 31 != 0;
}

// A table without gaps is one long row.
bool any_missing(Rows rows) {
  if (rows.stride() == rows.d()) return has_missing({rows.data(), rows.n() * rows.d()});
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (has_missing(rows[i])) return true;
  }
  return false;
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
  std::vector<float> known;  // rows without error bars, one after the other
  Filled filled{scaled.d()};
  std::vector<bool> is_known(scaled.n());
  for (std::size_t i = 0; i < scaled.n(); ++i) {
    is_known[i] = !(unknown && has_missing(scaled[i])) && !has_bars(bars, i);
    if (is_known[i]) {
      known.insert(known.end(), scaled[i].begin(), scaled[i].end());
    } else {
      filled.add(unknown, scaled[i], bars.empty() ? std::span<const float>() : bars[i]);
    }
  }
  const std::vector<double> of_known = model.of(Rows(known, scaled.d()), pool);
  const std::vector<double> of_filled = model.expected(filled.rows(), filled.bars(), pool);
  std::vector<double> eta(scaled.n());
  for (std::size_t i = 0, k = 0, f = 0; i < eta.size(); ++i) eta[i] = is_known[i] ? of_known[k++] : of_filled[f++];
  return eta;
}

double own_similarity(const FeatureMap& map, const std::optional<Unknown>& unknown, std::span<const float> row) {
  if (!unknown || !has_missing(row)) return map.self_similarity(row);
  Filled filled{map.d()};
  filled.add(unknown, row);
  return map.own_similarity(filled.variances);
}

}  // namespace expose

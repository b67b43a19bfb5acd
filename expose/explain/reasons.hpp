// Reasons: which features make a row unlike the rest.
//
// gain_g = eta(x with feature g unknown) - eta(x): the similarity that the row would win if nobody had looked at g.
// share_g = max(0, gain_g) / sum_h max(0, gain_h): >= 0, sum 1, or all 0 where nothing is to be won. A row that is like
// nothing in two features wins nothing by one of them: then gain_g = eta(all unknown) - eta(all but g unknown).
// Unknown means drawn from what the column usually holds, x_k ~ N(m_k, v_k), and integrated out: E phi(x), closed form
// where the map has one, else Gauss and Hermite's five nodes. A feature may be a group of columns, unknown together.
// Shares of a row depend on that row and the model alone, to the bit. Immutable; any number of threads may share one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expose/mean/mean_map.hpp"

namespace expose {

class EXPOSE_API Reasons {
 public:
  // mean, variance: m_k and v_k of each column of the map. groups: to which feature each column belongs, from 0 on;
  // each to its own if empty. Throws Code::shape_mismatch unless each has d() of the map, Code::invalid_argument for
  // numbers that are not finite, a variance below 0, or a group beyond the number of columns.
  Reasons(const MeanMap& model, std::vector<float> mean, std::vector<float> variance,
          std::vector<std::uint32_t> groups = {});

  // The same for a model that is known by its mean alone, as a fading one is. empty: it has seen no row.
  // Throws Code::shape_mismatch, besides, unless there are size() numbers of the map.
  Reasons(SharedMap map, const std::vector<double>& model, bool empty, std::vector<float> mean,
          std::vector<float> variance, std::vector<std::uint32_t> groups = {});

  std::size_t features() const { return unknown_.features; }

  // shares: features() a row, row after row. A missing number (NaN) is unknown from the start: a feature that has no
  // others gets 0. Throws Code::shape_mismatch on other sizes, Code::not_finite on infinity, and on NaN where the map
  // has no closed form. An empty model has no reasons: 0.
  void shares(Rows rows, std::span<double> shares) const;

 private:
  struct Variants;

  template <class IsUnknown>
  void add_variant(Variants& variants, std::span<const float> row, const IsUnknown& is_unknown) const;
  std::vector<double> similarities(const Variants& variants) const;
  std::vector<double> without_each(std::span<const float> row) const;
  bool to_shares(std::span<const double> gains, std::span<const float> row, std::span<double> shares) const;
  void of_row(std::span<const float> row, std::span<double> shares) const;

  SharedMap map_;
  bool empty_;
  std::vector<float> dual_;  // eta = <features, dual>
  double noise_;             // what rounding features to their grid may do to eta
  double volume_;            // |w|^2, the similarity that is usual
  UnknownFeatures unknown_;
  std::shared_ptr<const SimilarityWithout> shared_work_;  // null: each feature is work of its own
};

}  // namespace expose

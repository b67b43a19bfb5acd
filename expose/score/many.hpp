// ManyModels: M models on one map, a model a sensor or a user or a class. A row is projected once and then costs one
// dot product a model, where M Similarities would project it M times.
//
// Similarities agree with Similarity::of to 1e-5: another fixed order of the same sum. Models are copied in: later
// changes are seen after `replace`.
// Threads may judge together; whoever adds or replaces must be alone.
#pragma once

#include <span>
#include <vector>

#include "expose/mean/fading_mean.hpp"
#include "expose/mean/mean_map.hpp"

namespace expose {

class EXPOSE_API ManyModels {
 public:
  // No models yet. Throws Code::invalid_argument for a null map.
  explicit ManyModels(SharedMap map);

  const FeatureMap& map() const { return *map_; }
  // M.
  std::size_t size() const;

  // Puts a model behind the others and returns its index, size() - 1. A WindowMean comes in by its mean_map().
  // Throws (this and replace) Code::incompatible for a model of another map.
  std::size_t add(const MeanMap& model);
  std::size_t add(const FadingMean& model);
  // Puts a model in the place of another. Throws Code::not_found, naming both numbers, unless index < size().
  void replace(std::size_t index, const MeanMap& model);
  void replace(std::size_t index, const FadingMean& model);

  // eta_m(z) for all M models. Throws on a row of the wrong width, on NaN and infinity.
  std::vector<double> similarity(std::span<const float> row) const;
  // The same for each row: rows.n() times M numbers, row after row.
  std::vector<double> similarity(Rows rows) const;

 private:
  std::size_t append(const FeatureMap& map, std::span<const double> mean);
  void put(std::size_t index, const FeatureMap& map, std::span<const double> mean);

  SharedMap map_;
  std::vector<float> duals_;  // M rows, each dual(mean): eta = sum_j phi_j dual_j
};

}  // namespace expose

#include "expose/score/many.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/mean/projected.hpp"
#include "expose/simd/features.hpp"

namespace expose {

ManyModels::ManyModels(SharedMap map) : map_(std::move(map)) {
  if (map_ == nullptr) throw Error(Code::invalid_argument, "many models need a feature map, not a null pointer");
}

std::size_t ManyModels::size() const { return duals_.size() / map_->size(); }

std::size_t ManyModels::add(const MeanMap& model) { return append(model.map(), model.mean()); }
std::size_t ManyModels::add(const FadingMean& model) { return append(model.map(), model.mean()); }

void ManyModels::replace(std::size_t index, const MeanMap& model) { put(index, model.map(), model.mean()); }
void ManyModels::replace(std::size_t index, const FadingMean& model) { put(index, model.map(), model.mean()); }

std::size_t ManyModels::append(const FeatureMap& map, std::span<const double> mean) {
  require_same_map(*map_, map);
  const std::vector<float> dual = dual_in_floats(*map_, mean);
  duals_.insert(duals_.end(), dual.begin(), dual.end());
  return size() - 1;
}

void ManyModels::put(std::size_t index, const FeatureMap& map, std::span<const double> mean) {
  require_same_map(*map_, map);
  if (index >= size()) {
    throw Error(Code::not_found, "there is no model " + std::to_string(index) + " to replace among " +
                                     std::to_string(size()) + ", counted from 0");
  }
  const std::vector<float> dual = dual_in_floats(*map_, mean);
  std::copy(dual.begin(), dual.end(), duals_.begin() + static_cast<std::ptrdiff_t>(index * dual.size()));
}

std::vector<double> ManyModels::similarity(std::span<const float> row) const {
  return similarity(Rows(row.data(), 1, row.size()));
}

std::vector<double> ManyModels::similarity(Rows rows) const {
  require_columns(rows, map_->d(), "map");
  require_finite(rows);
  const std::size_t features = map_->size();
  std::vector<double> eta(rows.n() * size());
  for_projected(*map_, rows, [&](std::span<const float> some, std::size_t begin) {
    for (std::size_t i = 0; i < some.size() / features; ++i) {
      double* const theirs = eta.data() + (begin + i) * size();
      simd::inner_products(duals_.data(), size(), features, some.data() + i * features, theirs);
    }
  });
  return eta;
}

}  // namespace expose

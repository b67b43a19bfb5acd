// FadingMean: Proposition 3, gradual forgetting. w_1 = phi(x_1), then w_t = gamma phi(x_t) + (1 - gamma) w_{t-1}.
//
// The weights are real numbers, so the sums are doubles: equal rows in equal order give equal bits, in blocks of any
// size, but another order is another model. There is no way to merge two of them or to forget a row: the model does not
// know how much of a row is left. gamma = 0 keeps the first row only.
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expose/map/feature_map.hpp"
#include "expose/mean/memory.hpp"

namespace expose {

class EXPOSE_API FadingMean {
 public:
  // Throws Code::invalid_argument for gamma outside [0, 1) or a null map.
  FadingMean(SharedMap map, Fading fading);

  const FeatureMap& map() const { return *map_; }
  const SharedMap& shared_map() const { return map_; }
  double gamma() const { return gamma_; }

  // t: the number of rows learned.
  std::uint64_t rows() const { return state_.rows; }
  // How many rows of equal weight would know as much: 1 / sum of the squared weights; 0 for an empty model.
  // It grows from 1 towards (2 - gamma) / gamma; with gamma = 0 it stays 1.
  double effective_n() const { return state_.rows == 0 ? 0.0 : 1.0 / state_.squared_weights; }
  // w_t; all zeros for an empty model.
  const std::vector<double>& mean() const { return state_.mean; }

  // A block of rows gives what its rows would give one by one. Throws, and learns nothing, on bad rows.
  void learn(Rows rows);
  // The same for one row that is projected already, to the bit, without a second projection.
  // Throws Code::shape_mismatch for another number of features. REQUIRES: features as the map's project gives them
  void learn_features(std::span<const float> features);

  // The numbers a fading mean consists of, beside its map and gamma: what a model file stores.
  struct State {
    std::uint64_t rows = 0;
    double squared_weights = 0.0;
    std::vector<double> mean;
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  // Throws Code::corrupt for numbers that no rows of this map can have led to.
  static FadingMean from_state(SharedMap map, Fading fading, State state);

  // Equal maps, equal gamma, equal numbers.
  friend EXPOSE_API bool operator==(const FadingMean& a, const FadingMean& b);

 private:
  void fade_in(const float* phi);

  SharedMap map_;
  double gamma_;
  State state_;
};

}  // namespace expose

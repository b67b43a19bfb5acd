// MeanMap: mu[P_n] = (1/n) sum_i phi(x_i), kept as a sum and a weight, so that a model and a partial sum p(s_i) are
// one type (paper, "Parallel & Distributed Processing", and Proposition 1: incremental learning).
//
// The sums are integers: adding is exact, so the order of rows, blocks, threads and merges never changes a bit, and
// taking rows out again leaves what was there before they came. Invariant: no mean feature leaves [-1, 1], but for
// the last bits of a cosine.
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expose/map/feature_map.hpp"

namespace expose {

class Pool;

class EXPOSE_API MeanMap {
 public:
  // Weights are whole numbers or multiples of this; others are rounded to the nearest multiple.
  static constexpr double kWeightUnit = 1.0 / 1024;

  // The empty mean: weight 0. Throws Code::invalid_argument for a null map.
  explicit MeanMap(SharedMap map);

  const FeatureMap& map() const { return *map_; }
  const SharedMap& shared_map() const { return map_; }

  // Total weight: the number of rows where every weight was 1.
  double weight() const;
  // The sum of the features, size() of the map numbers.
  std::vector<double> sum() const;
  // mu: sum / weight; all zeros for an empty mean.
  std::vector<double> mean() const;

  // Proposition 1: learn rows, each with weight 1 or with its own weight >= 0. With a pool on all its threads.
  // Throws, and learns nothing, on bad rows, bad weights or overflow (2^40 rows; 2^30 once a weight was fractional).
  void add(Rows rows, Pool* pool = nullptr);
  void add(Rows rows, std::span<const double> weights);
  // Learn rows that are already projected: their features, row after row, and which of them (empty: all). Equal to
  // `add` of the same rows. Throws Code::shape_mismatch for features that are no whole rows or have another number of
  // rows than `keep`, Code::overflow as add does. REQUIRES: features as the map's project gives them
  void add_features(std::span<const float> features, std::span<const char> keep = {});
  // The same with a weight for each row, as `add` takes them.
  void add_features(std::span<const float> features, std::span<const double> weights);
  // A row of a stream: eta = <phi, mu> to the rows before it (0 to none), then `add` of it:
  //   eta = (1/r) sum_j phi_j mu_j for random maps, 1/t for isolation,
  // projected once, one pass over the sums; nothing folded, and nothing allocated while all weights are whole. Throws
  // as add does, and Code::invalid_argument for Nystrom, whose metric would take O(r^2).
  double watch(std::span<const float> row);
  // Forget rows that were learned, exactly. Throws if more weight would be forgotten than there is, and if what would
  // be left cannot be the mean of any rows: proof that some of these were never learned (not every such row is caught).
  void subtract(Rows rows, Pool* pool = nullptr);
  void subtract(Rows rows, std::span<const double> weights);

  // Merge and unmerge. Throw Code::incompatible, naming both fingerprints, for models of different maps; -= throws as
  // subtract does.
  MeanMap& operator+=(const MeanMap& other);
  MeanMap& operator-=(const MeanMap& other);
  // The weight times factor >= 0, the mean as it was. Exact for whole factors; for others the weight is rounded to
  // kWeightUnit (a model that weighs less than half of it becomes empty) and the sums to the nearest unit.
  MeanMap& operator*=(double factor);

  friend MeanMap operator+(MeanMap a, const MeanMap& b) { return a += b; }
  friend MeanMap operator-(MeanMap a, const MeanMap& b) { return a -= b; }
  friend MeanMap operator*(MeanMap a, double factor) { return a *= factor; }
  friend MeanMap operator*(double factor, MeanMap a) { return a *= factor; }

  // Equal maps, equal weights, equal sums.
  friend EXPOSE_API bool operator==(const MeanMap& a, const MeanMap& b);

  // The numbers a mean map consists of, beside its map: what a model file stores.
  struct State {
    std::int64_t weight = 0;            // in units of 1 / units_per_weight
    std::int64_t units_per_weight = 1;  // 1, or 1024 once a fractional weight came in
    AlignedVector<std::int64_t> sums;   // in units of FeatureMap::kGrid / units_per_weight
  };
  const State& state() const { return state_; }
  // Throws Code::corrupt for numbers that no rows of this map can have led to.
  static MeanMap from_state(SharedMap map, State state);

 private:
  template <class Accumulate>
  void add_weighted(std::span<const double> weights, const Accumulate& accumulate);

  SharedMap map_;
  State state_;
};

// <mu_a, mu_b>, under the metric of the map. Throws Code::incompatible for different maps.
EXPOSE_API double inner(const MeanMap& a, const MeanMap& b);
// |mu_a - mu_b|, the maximum mean discrepancy. An empty mean is the zero vector.
EXPOSE_API double mmd(const MeanMap& a, const MeanMap& b);

// <a, b> = sum_j a_j dual(b)_j for two means of one map, as bare vectors. REQUIRES: a.size() == b.size() == map.size()
EXPOSE_API double inner(const FeatureMap& map, std::span<const double> a, std::span<const double> b);

// Throws Code::incompatible, naming both fingerprints, unless the maps are equal.
void require_same_map(const FeatureMap& a, const FeatureMap& b);

}  // namespace expose

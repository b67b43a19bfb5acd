// Similarity: a model made ready for judging. eta(z) = <phi(z), w> (Theorem 1), high = normal.
//
// The mean is folded once, when this is made; later changes of the model are not seen. A row's similarity depends on
// that row and the model alone, to the bit: not on the rows beside it, nor on the number of threads.
// Immutable: any number of threads may judge with one at the same time.
#pragma once

#include <span>
#include <vector>

#include "expose/mean/fading_mean.hpp"
#include "expose/mean/mean_map.hpp"
#include "expose/mean/window_mean.hpp"

namespace expose {

// Leave-one-out: the similarity of a row to what is left of weight W without its own w, (W eta - w k(x, x)) / (W - w);
// 0 where nothing is left. self: k(x, x), FeatureMap::self_similarity or what error bars leave of it.
inline double without_own(double eta, double W, double w, double self) {
  return W > w ? (W * eta - w * self) / (W - w) : 0.0;
}

class EXPOSE_API Similarity {
 public:
  explicit Similarity(const MeanMap& model);
  explicit Similarity(const WindowMean& model);
  explicit Similarity(const FadingMean& model);

  const FeatureMap& map() const { return *map_; }
  // w, as it was when this was made.
  const std::vector<double>& mean() const { return mean_; }
  // How many rows of weight 1 the model knows as much as: its weight; for Fading the effective number.
  double n() const { return n_; }
  // |w|^2 = <w, w>: the mean similarity of the model's rows to the model itself.
  double volume() const { return volume_; }

  // All take rows of the map's width and throw on others and on NaN or infinity. An empty model is like nothing: 0.

  // Theorem 1: eta(z) = <phi(z), w>.
  std::vector<double> of(Rows rows, Pool* pool = nullptr) const;
  // The same for rows that are known only up to error bars, E eta(x) = <E phi(x), w>: FeatureMap::project_expected.
  // A row without any is judged as by `of`, to the bit. Throws as project_expected does.
  std::vector<double> expected(Rows rows, Rows variances, Pool* pool = nullptr) const;
  // "Predictions on Data Streams": eta(z) / |w|^2, so that a row keeps its value while the model grows wide or narrow.
  std::vector<double> relative(Rows rows, Pool* pool = nullptr) const;
  // For rows that are part of the model: their similarity to the others, (n eta - 1) / (n - 1), O(1) a row.
  // The own term k(x, x) is FeatureMap::self_similarity. With weights, each row's own: (W eta - w_i) / (W - w_i). Where
  // nothing else is left, 0. For Fading W = 1 and a row weighs gamma (1 - gamma)^age, the first one (1 - gamma)^age;
  // without weights it throws.
  std::vector<double> leave_one_out(Rows rows, Pool* pool = nullptr) const;
  std::vector<double> leave_one_out(Rows rows, std::span<const double> weights, Pool* pool = nullptr) const;

 private:
  Similarity(SharedMap map, std::vector<double> mean, double n, double weight, bool fading);
  std::vector<double> of_expected_features(Rows rows, Rows variances, Pool* pool) const;

  SharedMap map_;
  std::vector<double> mean_;
  double n_;
  double weight_;  // W: what the weights of the rows add up to
  bool fading_;    // the rows differ in weight
  double volume_;
  Folded folded_;
  std::vector<float> dual_;  // for expected features, which have no folded form
};

}  // namespace expose

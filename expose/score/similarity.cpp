#include "expose/score/similarity.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/pool.hpp"
#include "expose/base/text.hpp"
#include "expose/mean/projected.hpp"
#include "expose/simd/features.hpp"

namespace expose {

Similarity::Similarity(const MeanMap& model)
    : Similarity(model.shared_map(), model.mean(), model.weight(), model.weight(), false) {}

Similarity::Similarity(const WindowMean& model) : Similarity(model.mean_map()) {}

Similarity::Similarity(const FadingMean& model)
    : Similarity(model.shared_map(), model.mean(), model.effective_n(), model.rows() == 0 ? 0.0 : 1.0, true) {}

Similarity::Similarity(SharedMap map, std::vector<double> mean, double n, double weight, bool fading)
    : map_(std::move(map)),
      mean_(std::move(mean)),
      n_(n),
      weight_(weight),
      fading_(fading),
      volume_(std::max(0.0, inner(*map_, mean_, mean_))),
      folded_(map_->fold(mean_)),
      dual_(dual_in_floats(*map_, mean_)) {}

std::vector<double> Similarity::of(Rows rows, Pool* pool) const {
  require_columns(rows, map_->d(), "map");
  std::vector<double> eta(rows.n(), 0.0);
  if (n_ > 0.0 && (pool == nullptr || rows.n() <= kBlockRows)) {
    map_->similarity(rows, folded_, eta);
    return eta;
  }
  require_finite(rows);
  if (n_ == 0.0) return eta;
  pool->run((rows.n() + kBlockRows - 1) / kBlockRows, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kBlockRows;
    const std::size_t end = std::min(rows.n(), begin + kBlockRows);
    map_->similarity(rows.slice(begin, end), folded_, std::span(eta).subspan(begin, end - begin));
  });
  return eta;
}

std::vector<double> Similarity::expected(Rows rows, Rows variances, Pool* pool) const {
  if (rows.n() != variances.n()) {
    throw Error(Code::shape_mismatch, "there are " + std::to_string(rows.n()) + " rows and variances of " +
                                          std::to_string(variances.n()) + " rows");
  }
  if (rows.empty()) return {};
  require_columns(variances, map_->d(), "map");
  std::vector<float> known, unsure, bars;  // rows without variances; the others, and theirs
  std::vector<bool> is_known(rows.n());
  for (std::size_t i = 0; i < rows.n(); ++i) {
    is_known[i] = std::ranges::all_of(variances[i], [](float variance) { return variance == 0; });
    std::vector<float>& to = is_known[i] ? known : unsure;
    to.insert(to.end(), rows[i].begin(), rows[i].end());
    if (!is_known[i]) bars.insert(bars.end(), variances[i].begin(), variances[i].end());
  }
  const std::vector<double> of_known = of(Rows(known, rows.d()), pool);
  const std::vector<double> of_unsure = of_expected_features(Rows(unsure, rows.d()), Rows(bars, variances.d()), pool);
  std::vector<double> eta(rows.n());
  for (std::size_t i = 0, k = 0, u = 0; i < eta.size(); ++i) eta[i] = is_known[i] ? of_known[k++] : of_unsure[u++];
  return eta;
}

std::vector<double> Similarity::of_expected_features(Rows rows, Rows variances, Pool* pool) const {
  constexpr std::size_t kSome = 64;  // rows whose features are in memory at a time
  std::vector<double> eta(rows.n(), 0.0);
  each(pool, (rows.n() + kSome - 1) / kSome, [&](std::size_t block) {
    const std::size_t begin = block * kSome, end = std::min(rows.n(), begin + kSome);
    std::vector<float> features((end - begin) * map_->size());
    map_->project_expected(rows.slice(begin, end), variances.slice(begin, end), features);
    if (n_ == 0.0) return;
    simd::inner_products(features.data(), end - begin, map_->size(), dual_.data(), eta.data() + begin);
  });
  return eta;
}

std::vector<double> Similarity::relative(Rows rows, Pool* pool) const {
  std::vector<double> eta = of(rows, pool);
  for (double& value : eta) value = volume_ > 0.0 ? value / volume_ : 0.0;
  return eta;
}

std::vector<double> Similarity::leave_one_out(Rows rows, Pool* pool) const {
  if (fading_) {
    throw Error(Code::invalid_argument,
                "the rows of a fading mean differ in weight: leaving one out takes its weight, gamma (1 - gamma)^age");
  }
  std::vector<double> eta = of(rows, pool);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    eta[i] = without_own(eta[i], weight_, 1.0, map_->self_similarity(rows[i]));
  }
  return eta;
}

std::vector<double> Similarity::leave_one_out(Rows rows, std::span<const double> weights, Pool* pool) const {
  if (weights.size() != rows.n()) {
    throw Error(Code::shape_mismatch,
                "there are " + std::to_string(weights.size()) + " weights for " + std::to_string(rows.n()) + " rows");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0.0 && weights[i] <= weight_) continue;
    throw Error(Code::invalid_argument, "row " + std::to_string(i + 1) + " has weight " + text(weights[i]) +
                                            "; in this model a row weighs 0 to " + text(weight_));
  }
  std::vector<double> eta = of(rows, pool);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    eta[i] = without_own(eta[i], weight_, weights[i], map_->self_similarity(rows[i]));
  }
  return eta;
}

}  // namespace expose

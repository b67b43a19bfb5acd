#include "expose/explain/reasons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/simd/features.hpp"

namespace expose {

namespace {

// E f(t), t ~ N(0, 1), as a sum over five places: exact for polynomials up to degree 9 (Gauss and Hermite).
struct Node {
  double place;
  double weight;
};
constexpr std::array<Node, 5> kNodes = {{{-2.8569700138728056, 0.011257411327720688},
                                         {-1.3556261799742659, 0.22207592200561264},
                                         {0.0, 0.53333333333333333},
                                         {1.3556261799742659, 0.22207592200561264},
                                         {2.8569700138728056, 0.011257411327720688}}};
// A gain below this share of a usual similarity is dust: the row is like nothing, whichever column is unknown.
constexpr double kLeastGain = 1e-3;
constexpr std::array<Node, 1> kClosedForm = {{{0.0, 1.0}}};

void require_size(std::size_t given, std::size_t wanted, const char* what) {
  if (given == wanted) return;
  throw Error(Code::shape_mismatch, "there are " + std::to_string(given) + " " + what + ", the map has " +
                                        std::to_string(wanted) + " columns");
}

// A number may be missing where it can be integrated out; infinity is no number.
void require_numbers(Rows rows, bool may_be_missing) {
  if (!may_be_missing) return require_finite(rows);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    for (std::size_t k = 0; k < rows.d(); ++k) {
      if (!std::isinf(rows[i][k])) continue;
      throw Error(Code::not_finite, "row " + std::to_string(i + 1) + ", column " + std::to_string(k + 1) + " is inf");
    }
  }
}

}  // namespace

// A row again and again, each time with other columns unknown.
struct Reasons::Variants {
  std::vector<float> rows, variances;
  std::vector<double> weights;  // of each row in its variant
  std::vector<std::size_t> variant;
  std::size_t count = 0;
};

Reasons::Reasons(const MeanMap& model, std::vector<float> mean, std::vector<float> variance,
                 std::vector<std::uint32_t> groups)
    : Reasons(model.shared_map(), model.mean(), model.weight() == 0, std::move(mean), std::move(variance),
              std::move(groups)) {}

Reasons::Reasons(SharedMap map, const std::vector<double>& model, bool empty, std::vector<float> mean,
                 std::vector<float> variance, std::vector<std::uint32_t> groups)
    : map_(std::move(map)), empty_(empty), unknown_{std::move(mean), std::move(variance), std::move(groups)} {
  const std::size_t d = map_->d();
  if (model.size() != map_->size()) {
    throw Error(Code::shape_mismatch, "the mean of a model has " + std::to_string(model.size()) +
                                          " numbers, the map has " + std::to_string(map_->size()) + " features");
  }
  if (unknown_.group.empty()) {
    unknown_.group.resize(d);
    std::iota(unknown_.group.begin(), unknown_.group.end(), 0U);
  }
  require_size(unknown_.mean.size(), d, "means");
  require_size(unknown_.variance.size(), d, "variances");
  require_size(unknown_.group.size(), d, "groups");
  for (std::size_t k = 0; k < d; ++k) {
    if (std::isfinite(unknown_.mean[k]) && std::isfinite(unknown_.variance[k]) && unknown_.variance[k] >= 0 &&
        unknown_.group[k] < d) {
      continue;
    }
    throw Error(Code::invalid_argument, "column " + std::to_string(k + 1) + " has the mean " +
                                            text(static_cast<double>(unknown_.mean[k])) + ", the variance " +
                                            text(static_cast<double>(unknown_.variance[k])) + " and the group " +
                                            std::to_string(unknown_.group[k]) + " of at most " + std::to_string(d));
  }
  unknown_.features = 1 + *std::ranges::max_element(unknown_.group);
  const std::vector<double> dual = map_->dual(model);
  double squares = 0;
  for (const double value : dual) {
    dual_.push_back(static_cast<float>(value));
    squares += value * value;
  }
  noise_ = FeatureMap::kGrid * std::sqrt(squares);
  volume_ = std::inner_product(dual.begin(), dual.end(), model.begin(), 0.0);
  shared_work_ = map_->similarity_without(map_->fold(model), unknown_);
}

// eta of each variant, a few at a time: the features of all of them may be many.
std::vector<double> Reasons::similarities(const Variants& variants) const {
  constexpr std::size_t kFew = 64;
  const std::size_t d = map_->d(), n = variants.variant.size();
  const Rows rows(variants.rows, d), variances(variants.variances, d);
  std::vector<double> eta(kFew), sums(variants.count, 0.0);
  std::vector<float> features;
  for (std::size_t begin = 0; begin < n; begin += kFew) {
    const std::size_t end = std::min(begin + kFew, n);
    features.resize((end - begin) * map_->size());
    if (map_->integrates()) {
      map_->project_expected(rows.slice(begin, end), variances.slice(begin, end), features);
    } else {
      map_->project(rows.slice(begin, end), features);
    }
    simd::inner_products(features.data(), end - begin, map_->size(), dual_.data(), eta.data());
    for (std::size_t i = begin; i < end; ++i) sums[variants.variant[i]] += variants.weights[i] * eta[i - begin];
  }
  return sums;
}

// The row with the columns unknown that `is_unknown` names, one row a node.
template <class IsUnknown>
void Reasons::add_variant(Variants& variants, std::span<const float> row, const IsUnknown& is_unknown) const {
  const bool closed = map_->integrates();
  const std::span<const Node> nodes = closed ? std::span<const Node>(kClosedForm) : std::span<const Node>(kNodes);
  for (const Node& node : nodes) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool drawn = is_unknown(k) || std::isnan(row[k]);
      const double place =
          static_cast<double>(unknown_.mean[k]) + node.place * std::sqrt(static_cast<double>(unknown_.variance[k]));
      variants.rows.push_back(drawn ? static_cast<float>(place) : row[k]);
      variants.variances.push_back(drawn && closed ? unknown_.variance[k] : 0.0F);
    }
    variants.weights.push_back(node.weight);
    variants.variant.push_back(variants.count);
  }
  ++variants.count;
}

// eta with each feature unknown in turn, and last with none.
std::vector<double> Reasons::without_each(std::span<const float> row) const {
  if (shared_work_ && std::ranges::none_of(row, [](float x) { return std::isnan(x); })) {
    std::vector<double> eta(unknown_.features + 1);
    shared_work_->of(row, eta);
    return eta;
  }
  Variants variants;
  for (std::size_t g = 0; g <= unknown_.features; ++g) {
    add_variant(variants, row, [&](std::size_t k) { return unknown_.group[k] == g; });
  }
  return similarities(variants);
}

// Gains beyond rounding, of features that have a number, as shares; whether there are any.
bool Reasons::to_shares(std::span<const double> gains, std::span<const float> row, std::span<double> shares) const {
  std::ranges::fill(shares, 0.0);
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::size_t g = unknown_.group[k];
    if (!std::isnan(row[k]) && gains[g] > noise_) shares[g] = gains[g];
  }
  double sum = 0;
  for (const double share : shares) sum += share;
  if (sum > 0) std::ranges::for_each(shares, [&](double& share) { share /= sum; });
  return sum > 0;
}

void Reasons::of_row(std::span<const float> row, std::span<double> shares) const {
  std::vector<double> eta = without_each(row);
  std::vector<double> gains(unknown_.features);
  for (std::size_t g = 0; g < gains.size(); ++g) gains[g] = eta[g] - eta.back();
  const bool matters = *std::ranges::max_element(gains) > kLeastGain * volume_;
  if (to_shares(gains, row, shares) && matters) return;
  Variants one_alone;  // and last none
  for (std::size_t g = 0; g <= unknown_.features; ++g) {
    add_variant(one_alone, row, [&](std::size_t k) { return unknown_.group[k] != g; });
  }
  eta = similarities(one_alone);
  for (std::size_t g = 0; g < gains.size(); ++g) gains[g] = eta.back() - eta[g];
  to_shares(gains, row, shares);
}

void Reasons::shares(Rows rows, std::span<double> shares) const {
  if (rows.empty() && shares.empty()) return;
  require_columns(rows, map_->d(), "map");
  if (shares.size() != rows.n() * unknown_.features) {
    throw Error(Code::shape_mismatch, "the output has room for " + std::to_string(shares.size()) + " numbers, " +
                                          std::to_string(rows.n() * unknown_.features) + " come");
  }
  require_numbers(rows, map_->integrates());
  std::ranges::fill(shares, 0.0);
  if (empty_) return;
  for (std::size_t i = 0; i < rows.n(); ++i) of_row(rows[i], shares.subspan(i * unknown_.features, unknown_.features));
}

}  // namespace expose

#include "expose/calibrate/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"

namespace expose {
namespace {

using WeightedSimilarity = std::pair<double, double>;

void require_valid(std::span<const double> similarities, std::span<const double> weights) {
  if (!weights.empty() && weights.size() != similarities.size()) {
    throw Error(Code::shape_mismatch, "there are " + std::to_string(weights.size()) + " weights for " +
                                          std::to_string(similarities.size()) + " calibration rows");
  }
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    if (std::isfinite(similarities[i])) continue;
    throw Error(Code::not_finite, "the similarity of calibration row " + std::to_string(i + 1) + " is " +
                                      text(similarities[i]) + ", it must be finite");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0 && std::isfinite(weights[i])) continue;
    throw Error(Code::invalid_argument, "the weight of calibration row " + std::to_string(i + 1) + " is " +
                                            text(weights[i]) + ", it must be finite and above 0");
  }
}

// Ties are sorted by weight, so that the order of rows decides neither the order nor a bit of a sum.
std::vector<WeightedSimilarity> sorted(std::span<const double> similarities, std::span<const double> weights) {
  std::vector<WeightedSimilarity> rows(similarities.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {std::max(similarities[i], kSmallestSimilarity), weights.empty() ? 1.0 : weights[i]};
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// With W the sum of the weights, row i counts M w_i / W. Divided by the largest first: equal weights are then exactly 1
// and their sums whole numbers, and nothing overflows.
std::vector<double> cumulated(std::span<const double> weights) {
  const double largest = weights.empty() ? 1.0 : *std::max_element(weights.begin(), weights.end());
  std::vector<double> up_to(weights.size() + 1);
  for (std::size_t i = 0; i < weights.size(); ++i) up_to[i + 1] = up_to[i] + weights[i] / largest;
  const double all = up_to.back();
  const auto m = static_cast<double>(weights.size());
  for (std::size_t i = 1; i < up_to.size(); ++i) up_to[i] = up_to[i] * m / all;
  return up_to;
}

Tail fitted(std::span<const double> similarities, std::span<const double> rows_up_to) {
  std::vector<double> counts(SurpriseCounts::kBins);
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    counts[SurpriseCounts::bin_of(surprise(similarities[i]))] += rows_up_to[i + 1] - rows_up_to[i];
  }
  return Tail(counts);
}

}  // namespace

Conformal::Conformal(std::span<const double> similarities, std::span<const double> weights) {
  require_valid(similarities, weights);
  for (const auto& [similarity, weight] : sorted(similarities, weights)) {
    similarities_.push_back(similarity);
    weights_.push_back(weight);
  }
  rows_up_to_ = cumulated(weights_);
  tail_ = fitted(similarities_, rows_up_to_);
}

double Conformal::p_value(double similarity) const {
  const double s = surprise(similarity);
  const double floored = std::max(similarity, kSmallestSimilarity);
  // s_cal >= s where the similarity is lower or equal; similarities are compared, since a logarithm may round.
  const auto at = std::upper_bound(similarities_.begin(), similarities_.end(), floored) - similarities_.begin();
  const double as_surprising = rows_up_to_[static_cast<std::size_t>(at)];
  const double p = std::min((1.0 + as_surprising) / (static_cast<double>(rows()) + 1.0), 1.0);
  if (at > 0 || rows() == 0) return p;
  return std::max(p * tail_.decline(surprise(similarities_.front()), s), kSmallestPValue);
}

Conformal Conformal::from_state(std::span<const double> similarities, std::span<const double> weights) {
  if (weights.size() != similarities.size()) {
    throw Error(Code::corrupt, "there are " + std::to_string(weights.size()) + " weights for " +
                                   std::to_string(similarities.size()) + " calibration rows");
  }
  const auto row = [&](std::size_t i) { return WeightedSimilarity(similarities[i], weights[i]); };
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    const bool possible = std::isfinite(similarities[i]) && similarities[i] >= kSmallestSimilarity &&
                          std::isfinite(weights[i]) && weights[i] > 0.0 && (i == 0 || row(i - 1) <= row(i));
    if (possible) continue;
    throw Error(Code::corrupt, "calibration row " + std::to_string(i + 1) + " has the similarity " +
                                   text(similarities[i]) + " and the weight " + text(weights[i]) +
                                   "; they must be above 0 and in ascending order");
  }
  return Conformal(similarities, weights);
}

}  // namespace expose

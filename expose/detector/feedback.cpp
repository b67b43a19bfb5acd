// Feedback: a person says that a flagged row is normal. Its features are added to the mean, which lifts its similarity
// and that of rows like it:  eta'(x) = (W eta(x) + w k(x, x)) / (W + w).  A sum like any other, so it is taken out
// again to the bit, merged and stored; neither the plan nor the calibration sample changes.
#include <algorithm>
#include <cmath>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/missing.hpp"

namespace expose {

namespace {

void require_good(const GoodRows& good, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    if (i < good.index.size() && good.index[i] == i) continue;
    throw Error(Code::not_finite, "row " + std::to_string(i + 1) +
                                      " has values that the plan takes no account of (missing or infinite): it cannot "
                                      "be vouched for");
  }
}

}  // namespace

MeanMap Detector::mean_past_the_gate(Records rows, std::span<const double> weights) const {
  require_width(rows);
  const GoodRows good = scale_good_rows(plan_, rows);
  require_good(good, rows.n());
  std::vector<double> rounded;
  for (const std::int64_t units : weight_units(weights, rows.n())) rounded.push_back(in_rows(units));
  MeanMap mean(plan_.map());
  add_rows(mean, plan_.parts().unknown, Rows(good.scaled, plan_.d()), rounded);
  return mean;
}

// Doubles, then halves: the more weight, the more rows of the calibration sample it overtakes.
double Detector::smallest_weight(Records row, std::size_t number) const {
  const Alpha* const given = std::get_if<Alpha>(&threshold_);
  if (given == nullptr) {
    throw Error(Code::invalid_argument,
                "a weight can be found where rows are flagged by alpha; under fdr, contamination "
                "and top, which depend on the other rows, give the weights");
  }
  const double alpha = given->alpha;
  Detector trial = *this;
  const auto p_with = [&](double weight) {
    State state = state_;
    state.mean += mean_past_the_gate(row, std::vector{weight});
    trial.replace(std::move(state));
    return trial.judge(row)[0].p_value;
  };
  if (p_with(0) > alpha) return 0;
  const double most = std::max(1.0, std::floor(state_.mean.weight()));
  double too_little = 0, enough = 1;
  while (!(p_with(enough) > alpha)) {
    if (enough == most) {
      throw Error(Code::not_found, "no weight up to the " + text(most) + " of the model makes row " +
                                       std::to_string(number) +
                                       " likely: there is nothing like it in the map; fit with it");
    }
    too_little = enough;
    enough = std::min(2 * enough, most);
  }
  while (enough - too_little > 1) {
    const double middle = static_cast<double>(static_cast<std::int64_t>((enough + too_little) / 2));
    (p_with(middle) > alpha ? enough : too_little) = middle;
  }
  return enough;
}

std::vector<double> Detector::vouch(Records rows, std::span<const double> weights) {
  require_width(rows);
  Detector changed = *this;
  const auto enter = [&](Records some, std::span<const double> with) {
    State state = changed.state_;
    state.mean += changed.mean_past_the_gate(some, with);
    changed.replace(std::move(state));
  };
  std::vector<double> used;
  if (!weights.empty()) {
    for (const std::int64_t units : weight_units(weights, rows.n())) used.push_back(in_rows(units));
    enter(rows, used);
  } else {
    require_good(scale_good_rows(plan_, rows), rows.n());
    for (std::size_t i = 0; i < rows.n(); ++i) {  // each as the model is with those before it
      const Records row = rows.slice(i, i + 1);
      used.push_back(changed.smallest_weight(row, i + 1));
      enter(row, std::span(&used.back(), 1));
    }
  }
  *this = std::move(changed);
  return used;
}

void Detector::withdraw(Records rows, std::span<const double> weights) {
  if (weights.size() != rows.n()) {
    throw Error(Code::shape_mismatch, "there are " + std::to_string(rows.n()) + " rows to withdraw and " +
                                          std::to_string(weights.size()) + " weights; they are what vouch returned");
  }
  State left = state_;
  left.mean -= mean_past_the_gate(rows, weights);
  replace(std::move(left));
}

}  // namespace expose

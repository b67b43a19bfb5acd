#include "expose/detector/comparing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "expose/detector/bandwidth.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/missing.hpp"
#include "expose/detector/stored.hpp"
#include "expose/drift/known.hpp"
#include "expose/drift/means.hpp"
#include "expose/drift/moved.hpp"
#include "expose/drift/relabel.hpp"

namespace expose {
namespace {

// Rows a side that the exact kernel compares: those that a model keeps.
constexpr std::size_t kExactRows = Detector::kCalibrationRows;
// Rows of both sides together that the covariance of the features is seen on; fewer where a row has many features.
constexpr std::size_t kMomentRows = 600;
constexpr std::size_t kMomentNumbers = 1 << 20;
constexpr std::size_t kFewestMomentRows = 64;
// Rows a side that columns are left out of.
constexpr std::size_t kColumnRows = 256;

// Isolation has no kernel of columns: a Gaussian as wide as a plan would make it for these rows.
Kernel column_kernel(const Plan& plan, Rows rows) {
  if (plan.map()->recipe().kind != MapKind::isolation) return plan.kernel();
  return Gaussian{choose_bandwidth(Gaussian{}, rows, measure_unknown(rows))};
}

// The landmarks of a plan, each once: isolation may have drawn a row several times.
std::vector<float> distinct_landmarks(const Plan& plan) {
  const Rows all(plan.map()->recipe().landmarks, plan.d());
  std::set<std::vector<float>> distinct;
  for (std::size_t j = 0; j < all.n(); ++j) distinct.emplace(all[j].begin(), all[j].end());
  std::vector<float> landmarks;
  for (const std::vector<float>& row : distinct) landmarks.insert(landmarks.end(), row.begin(), row.end());
  return landmarks;
}

// The model without these rows.
Side without_landmarks(const Plan& plan, Rows landmarks, Side side) {
  const FeatureMap& map = *plan.map();
  const std::vector<char> passes = pass_gate(plan, landmarks);
  std::vector<float> features(landmarks.n() * map.size());
  map.project(landmarks, features);
  for (std::size_t j = 0; j < landmarks.n(); ++j) {
    side.n -= 1;
    if (passes[j] == 0) side.turned_away -= 1;
    for (std::size_t f = 0; passes[j] != 0 && f < map.size(); ++f) side.sum[f] -= features[j * map.size() + f];
  }
  side.turned_away = std::max(0.0, side.turned_away);
  return side;
}

// Where a plan was made from the rows of a model, that model has learned the landmarks: then its stored rows, a uniform
// draw, hold their share of them. Half of that is asked, so that a few rows which happen to be equal do not count.
double test_means(const Plan& plan, std::array<Side, 2> sides, const StoredRows stored[2], Pool* pool) {
  const std::vector<float> distinct = distinct_landmarks(plan);
  const Rows landmarks(distinct, plan.d());
  const std::size_t wanted = std::clamp(kMomentNumbers / plan.map()->size(), kFewestMomentRows, kMomentRows) / 2;
  std::vector<float> drawn;
  for (std::size_t s = 0; s < 2; ++s) {
    StoredRows others = stored[s];
    const std::vector<char> are = are_landmarks(plan, others.view());
    for (std::size_t i = 0; i < are.size(); ++i) {
      if (are[i] != 0) others.weights[i] = 0;
    }
    const auto r = static_cast<double>(landmarks.n());
    const double share = std::min(1.0, static_cast<double>(are.size()) / sides[s].n);
    const bool learned_them = r > 0 && 2 * static_cast<double>(std::ranges::count(are, 1)) >= r * share;
    if (learned_them && sides[s].n > 2 * r) sides[s] = without_landmarks(plan, landmarks, std::move(sides[s]));
    const std::vector<float> rows = draw_rows(others, worth(others, wanted));
    drawn.insert(drawn.end(), rows.begin(), rows.end());
  }
  const Rows rows(drawn, plan.d());
  std::vector<float> features(rows.n() * plan.map()->size());
  project(*plan.map(), plan.parts().unknown, rows, features);
  return mean_p_value(*plan.map(), sides[0], sides[1], {features, pass_gate(plan, rows)}, pool);
}

double test_rows(const Plan& plan, const StoredRows stored[2], Pool* pool) {
  std::vector<float> rows;
  std::size_t n[2];
  for (std::size_t s = 0; s < 2; ++s) {
    const std::vector<float> drawn = draw_rows(stored[s], worth(stored[s], kExactRows));
    n[s] = drawn.size() / plan.d();
    rows.insert(rows.end(), drawn.begin(), drawn.end());
  }
  const Rows all(rows, plan.d());
  if (plan.map()->recipe().kind == MapKind::given) {  // the kernel as the map sees it is all there is
    const std::vector<double> seen = kernel_matrix(*plan.map(), all, all);
    std::vector<float> matrix;
    matrix.reserve(seen.size());
    for (const double value : seen) matrix.push_back(static_cast<float>(value));
    return relabel_p_value(std::move(matrix), n[0], n[1]);
  }
  return relabel_p_value(known_matrix(column_kernel(plan, all), all, pool), n[0], n[1]);
}

// Shares of the input columns; those that the scaler dropped have none, nor have those of a given kernel, which are
// landmarks.
std::vector<double> moved_inputs(const Plan& plan, const StoredRows stored[2], Pool* pool) {
  if (plan.map()->recipe().kind == MapKind::given) return std::vector<double>(plan.columns(), 0.0);
  std::vector<float> drawn[2];
  for (std::size_t s = 0; s < 2; ++s) drawn[s] = draw_rows(stored[s], worth(stored[s], kColumnRows));
  std::vector<float> both = drawn[0];
  both.insert(both.end(), drawn[1].begin(), drawn[1].end());
  const Kernel kernel = column_kernel(plan, Rows(both, plan.d()));
  const std::vector<double> shares = moved_columns(kernel, Rows(drawn[0], plan.d()), Rows(drawn[1], plan.d()), pool);
  std::vector<double> features(plan.columns(), 0.0);
  for (std::size_t k = 0; k < shares.size(); ++k) features[plan.scaler().kept()[k]] = shares[k];
  return features;
}

}  // namespace

// Few rows are all at hand, and a plan that was made from them fits them better than others: they are compared by the
// exact kernel, without map and gate. Once both models have seen more rows than they keep, their means know more.
double drift_p_value(const Detector& a, const Detector& b, Pool* pool) {
  require_same_plan(a.plan(), b.plan());
  const Plan& plan = a.plan();
  const StoredRows stored[] = {stored_rows(a.state(), plan.d()), stored_rows(b.state(), plan.d())};
  if (std::min(a.weight(), b.weight()) <= static_cast<double>(kExactRows)) return test_rows(plan, stored, pool);
  return test_means(plan, {side_of(a.mean(), a.turned_away()), side_of(b.mean(), b.turned_away())}, stored, pool);
}

Drift drift(const Detector& a, const Detector& b) {
  Drift drift;
  drift.p_value = drift_p_value(a, b, a.pool_.get());
  const Plan& plan = a.plan();
  drift.mmd =
      std::sqrt(squared_distance(*plan.map(), side_of(a.mean(), a.turned_away()), side_of(b.mean(), b.turned_away())));
  const StoredRows stored[] = {stored_rows(a.state(), plan.d()), stored_rows(b.state(), plan.d())};
  drift.features = moved_inputs(plan, stored, a.pool_.get());
  return drift;
}

}  // namespace expose

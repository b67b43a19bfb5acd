// Groups of rows judged as one, and how far a judgement can be trusted.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/interrupt.hpp"
#include "expose/calibrate/group.hpp"
#include "expose/calibrate/recent.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/missing.hpp"
#include "expose/detector/stored.hpp"

namespace expose {
namespace {

// Rows whose error bars are found at once. No bit depends on it.
constexpr std::size_t kBarRows = std::size_t{1} << 15;
// Rows that trust is seen on.
constexpr std::size_t kTrustRows = 500;

// |phi(x_i)|^2 as the map sees it: 1 for random maps; for Nystrom 1 for landmarks and less for others, of which the
// landmarks know only a part.
std::vector<double> squared_lengths(const Plan& plan, Rows rows, Pool* pool) {
  const FeatureMap& map = *plan.map();
  const std::optional<Unknown>& unknown = plan.parts().unknown;
  std::vector<double> lengths(rows.n());
  if (!sees_landmarks(map.recipe().kind)) {
    for (std::size_t i = 0; i < rows.n(); ++i) lengths[i] = own_similarity(map, unknown, rows[i]);
    return lengths;
  }
  std::vector<float> features(rows.n() * map.size());
  project(map, unknown, rows, features);
  pool->run(rows.n(), [&](std::size_t i, std::size_t) {
    const std::vector<double> phi(features.begin() + static_cast<std::ptrdiff_t>(i * map.size()),
                                  features.begin() + static_cast<std::ptrdiff_t>((i + 1) * map.size()));
    lengths[i] = inner(map, phi, phi);
  });
  return lengths;
}

// Groups are numbered from 0 on. A number far beyond the rows is somebody's id, and would make a list of that length.
std::size_t groups_in(std::span<const std::uint32_t> group) {
  if (group.empty()) return 0;
  const std::size_t groups = std::size_t{*std::ranges::max_element(group)} + 1;
  constexpr std::size_t kMostEmpty = 1 << 20;
  if (groups <= group.size() + kMostEmpty) return groups;
  throw Error(Code::invalid_argument, "groups are numbered from 0 on; there are " + std::to_string(group.size()) +
                                          " rows, and one is in group " + std::to_string(groups - 1));
}

}  // namespace

// As rows that are judged see themselves: rows in the mean without their own term. Landmarks are left out, unless most
// rows are landmarks: then the model is made of them, and knows every row as well.
GroupCalibration Detector::calibrate_groups(const Similarity& similarity) const {
  StoredRows stored = stored_rows(state_, plan_.d());
  const Rows rows = stored.view();
  std::vector<double> eta = similarity_of(similarity, plan_.parts().unknown, rows, {}, pool_.get());
  const std::vector<char> passes = pass_gate(plan_, rows);
  const std::vector<double> lengths = squared_lengths(plan_, rows, pool_.get());
  const std::vector<char> landmarks = are_landmarks(plan_, rows);
  const bool mostly = 2 * static_cast<std::size_t>(std::ranges::count(landmarks, 1)) > rows.n();
  const double W = similarity.n();
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const double own = std::min(stored.copies[i], 1.0);
    if (passes[i] != 0) eta[i] = without_own(eta[i], W, own, lengths[i]);
    if (landmarks[i] != 0 && !mostly) stored.weights[i] = 0;
  }
  std::vector<double> drawn;
  for (const std::size_t i : draw(stored.weights, worth(stored, kCalibrationRows))) drawn.push_back(eta[i]);
  return GroupCalibration(drawn);
}

std::shared_ptr<const GroupCalibration> Detector::group_calibration() const {
  const std::shared_ptr<const Ready> model = ready();
  return lazy_->once(lazy_->groups, [&] { return calibrate_groups(model->similarity); });
}

GroupVerdict Detector::judge_group(Records rows) const {
  const std::vector<std::uint32_t> one(rows.n(), 0);
  return rows.empty() ? GroupVerdict{} : judge_groups(rows, one)[0];
}

// Similarity = <mean phi(G), w>: the mean of its rows' similarities. A group of one row has the p-value of that row.
std::vector<GroupVerdict> Detector::judge_groups(Records rows, std::span<const std::uint32_t> group) const {
  require_width(rows);
  if (group.size() != rows.n()) {
    throw Error(Code::shape_mismatch,
                "there are " + std::to_string(group.size()) + " groups for " + std::to_string(rows.n()) + " rows");
  }
  const std::shared_ptr<const Ready> model = ready();
  const std::shared_ptr<const GroupCalibration> calibration = group_calibration();
  const std::vector<Verdict> verdicts = look({rows}, model->similarity, Status::ok, false);
  std::vector<std::vector<double>> members(groups_in(group));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].status == Status::ok) members[group[i]].push_back(verdicts[i].similarity);
  }
  std::vector<GroupVerdict> answers(members.size());
  pool_->run(members.size(), [&](std::size_t g, std::size_t) {
    std::vector<double>& eta = members[g];
    GroupVerdict& answer = answers[g];
    answer.rows = eta.size();
    if (eta.empty()) return;
    std::ranges::sort(eta);  // the order of rows decides no bit
    for (const double one : eta) answer.similarity += one / static_cast<double>(eta.size());
    answer.status = model->conformal.rows() < kFewestRows ? Status::learning : Status::ok;
    if (answer.status != Status::ok) return;
    answer.p_value = eta.size() == 1 ? model->conformal.p_value(eta[0]) : calibration->p_value(eta);
  });
  return answers;
}

std::vector<ErrorBar> Detector::error_bars(Records rows) const {
  require_width(rows);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<ErrorBar> bars(rows.n(), ErrorBar{kInfinity, kInfinity});
  const std::shared_ptr<const Ready> model = ready();
  for (std::size_t begin = 0; begin < rows.n(); begin += kBarRows) {
    look_up();
    const GoodRows good = scale_good_rows(plan_, rows.slice(begin, std::min(begin + kBarRows, rows.n())));
    const Filled filled = fill(plan_.parts().unknown, Rows(good.scaled, plan_.d()));
    const std::vector<ErrorBar> known =
        expose::error_bars(model->similarity, filled.rows(), filled.bars(), pool_.get());
    for (std::size_t g = 0; g < known.size(); ++g) bars[begin + good.index[g]] = known[g];
  }
  return bars;
}

// Seen on the rows that passed the gate: those that a model takes for normal.
Trust Detector::trust() const {
  const StoredRows stored = stored_rows(state_, plan_.d());
  const std::vector<float> drawn = draw_rows(stored, worth(stored, kTrustRows));
  const Rows rows(drawn, plan_.d());
  const std::vector<char> passes = pass_gate(plan_, rows);
  std::vector<float> normal;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (passes[i] != 0) normal.insert(normal.end(), rows[i].begin(), rows[i].end());
  }
  const Filled filled = fill(plan_.parts().unknown, Rows(normal, plan_.d()));
  return expose::trust(ready()->similarity, filled.rows(), filled.bars(), pool_.get());
}

}  // namespace expose

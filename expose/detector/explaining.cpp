#include "expose/detector/explaining.hpp"

#include <algorithm>
#include <string>

#include "expose/base/error.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/missing.hpp"
#include "expose/detector/stored.hpp"
#include "expose/detector/watcher.hpp"

namespace expose {

namespace {

// Rows a worker explains at a time.
constexpr std::size_t kSomeRows = 16;

// What a column usually holds, in scaled units: as the plan says; one that integrates nothing out says nothing, and
// then the calibration sample does.
Unknown usual(const Plan& plan, const Detector::State& state) {
  if (plan.parts().unknown) return *plan.parts().unknown;
  const StoredRows stored = stored_rows(state, plan.d());
  const std::vector<float> rows = draw_rows(stored, worth(stored, Detector::kCalibrationRows));
  return measure_unknown(Rows(rows, plan.d()));
}

// The same for a stream, which has no sample: by the rows of its window or the landmarks of its plan; else as a scaled
// column should be.
Unknown usual(const Plan& plan, Rows window) {
  if (plan.parts().unknown) return *plan.parts().unknown;
  if (!window.empty()) return measure_unknown(window);
  const Rows landmarks(plan.map()->recipe().landmarks, plan.d());
  if (!landmarks.empty()) return measure_unknown(landmarks);
  return {std::vector<float>(plan.d(), 0.0F), std::vector<float>(plan.d(), 1.0F)};
}

}  // namespace

std::size_t shares_a_row(std::size_t columns, std::span<const std::uint32_t> groups) {
  if (groups.empty()) return columns;
  if (groups.size() != columns) {
    throw Error(Code::shape_mismatch, "there are groups of " + std::to_string(groups.size()) +
                                          " columns, the plan takes " + std::to_string(columns));
  }
  for (const std::uint32_t group : groups) {
    if (group < groups.size()) continue;
    throw Error(Code::invalid_argument, "groups are numbered from 0 on; there are " + std::to_string(groups.size()) +
                                            " columns, and one is in group " + std::to_string(group));
  }
  return 1 + std::size_t{*std::ranges::max_element(groups)};
}

std::vector<double> explain_rows(const Plan& plan, const ReasonsOf& reasons_of, Records rows,
                                 std::span<const std::uint32_t> groups, Pool* pool) {
  const std::size_t features = shares_a_row(plan.columns(), groups);
  std::vector<std::uint32_t> group;
  for (const std::uint32_t column : plan.scaler().kept()) group.push_back(groups.empty() ? column : groups[column]);
  // Dense numbers for the groups that have a column left, in their order.
  std::vector<std::uint32_t> named = group;
  std::ranges::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  for (std::uint32_t& g : group) g = static_cast<std::uint32_t>(std::ranges::lower_bound(named, g) - named.begin());
  const Reasons reasons = reasons_of(std::move(group));
  std::vector<double> shares(rows.n() * features, 0.0);
  each(pool, (rows.n() + kSomeRows - 1) / kSomeRows, [&](std::size_t block) {
    const std::size_t begin = block * kSomeRows;
    const GoodRows good = scale_good_rows(plan, rows.slice(begin, std::min(begin + kSomeRows, rows.n())));
    std::vector<double> found(good.index.size() * named.size());
    reasons.shares(Rows(good.scaled, plan.d()), found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      shares[(begin + good.index[i / named.size()]) * features + named[i % named.size()]] = found[i];
    }
  });
  return shares;
}

std::vector<double> Detector::explain(Records rows, std::span<const std::uint32_t> groups) const {
  require_width(rows);
  const auto reasons_of = [&](std::vector<std::uint32_t> group) {
    const Unknown columns = usual(plan_, state_);
    return Reasons(state_.mean, columns.mean, columns.variance, std::move(group));
  };
  return explain_rows(plan_, reasons_of, rows, groups, pool_.get());
}

std::vector<double> Watcher::explain(Records rows, std::span<const std::uint32_t> groups) const {
  require_width(rows);
  if (!stream_) return std::vector<double>(rows.n() * shares_a_row(rows.d(), groups), 0.0);
  const auto reasons_of = [&](std::vector<std::uint32_t> group) {
    const WindowMean* const window = std::get_if<WindowMean>(&stream_->model);
    const Unknown columns = usual(stream_->plan, window != nullptr ? window->rows() : Rows());
    if (const MeanMap* const mean = exact_mean()) {
      return Reasons(*mean, columns.mean, columns.variance, std::move(group));
    }
    const FadingMean& fading = std::get<FadingMean>(stream_->model);
    return Reasons(fading.shared_map(), fading.mean(), fading.rows() == 0, columns.mean, columns.variance,
                   std::move(group));
  };
  return explain_rows(stream_->plan, reasons_of, rows, groups, nullptr);
}

}  // namespace expose

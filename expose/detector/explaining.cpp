// How a detector explains: the reasons of each row, in the columns that came in.
#include <algorithm>
#include <string>

#include "expose/base/error.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/missing.hpp"
#include "expose/detector/stored.hpp"
#include "expose/explain/reasons.hpp"

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

// The groups of the columns that stayed, and how many groups there are for all.
std::size_t groups_of(const Scaler& scaler, std::span<const std::uint32_t> groups, std::vector<std::uint32_t>& kept) {
  if (!groups.empty() && groups.size() != scaler.inputs()) {
    throw Error(Code::shape_mismatch, "there are groups of " + std::to_string(groups.size()) +
                                          " columns, the plan takes " + std::to_string(scaler.inputs()));
  }
  for (const std::uint32_t group : groups) {
    if (group < groups.size()) continue;
    throw Error(Code::invalid_argument, "groups are numbered from 0 on; there are " + std::to_string(groups.size()) +
                                            " columns, and one is in group " + std::to_string(group));
  }
  for (const std::uint32_t column : scaler.kept()) kept.push_back(groups.empty() ? column : groups[column]);
  return groups.empty() ? scaler.inputs() : 1 + std::size_t{*std::ranges::max_element(groups)};
}

}  // namespace

std::vector<double> Detector::explain(Records rows, std::span<const std::uint32_t> groups) const {
  require_width(rows);
  std::vector<std::uint32_t> group;
  const std::size_t features = groups_of(plan_.scaler(), groups, group);
  // Dense numbers for the groups that have a column left, in their order.
  std::vector<std::uint32_t> named = group;
  std::ranges::sort(named);
  named.erase(std::ranges::unique(named).begin(), named.end());
  for (std::uint32_t& g : group) g = static_cast<std::uint32_t>(std::ranges::lower_bound(named, g) - named.begin());
  const Unknown columns = usual(plan_, state_);
  const Reasons reasons(state_.mean, columns.mean, columns.variance, group);
  std::vector<double> shares(rows.n() * features, 0.0);
  pool_->run((rows.n() + kSomeRows - 1) / kSomeRows, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kSomeRows;
    const GoodRows good = scale_good_rows(plan_, rows.slice(begin, std::min(begin + kSomeRows, rows.n())));
    std::vector<double> found(good.index.size() * named.size());
    reasons.shares(Rows(good.scaled, plan_.d()), found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      shares[(begin + good.index[i / named.size()]) * features + named[i % named.size()]] = found[i];
    }
  });
  return shares;
}

}  // namespace expose

#include "expose/score/error_bar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expose/base/pool.hpp"

namespace expose {
namespace {

// Rows projected at once: 64 x 4096 features are 1 MiB. No bit depends on it.
constexpr std::size_t kProjectedRows = 64;
// With fewer blocks their spread is too rough a guess of itself. Then the terms are treated as independent, which errs
// on the safe side: frequencies of one block are spread out, so their mean varies less. The terms of isolation, at
// most one a partition not 0, say nothing one by one.
constexpr std::size_t kFewestBlocks = 8;

// The frequencies of a random map in groups that are independent of one another.
class Groups {
 public:
  explicit Groups(const FeatureMap& map) : members_(map.block()), group_of_(map.r()) {
    if (map.size() == 2 * map.r() && map.r() / members_ < kFewestBlocks) members_ = 1;
    for (std::size_t j = 0; j < map.r(); ++j) group_of_[j] = members_ == 1 ? j : map.block_of(j);
    sizes_.assign(*std::max_element(group_of_.begin(), group_of_.end()) + 1, 0);
    for (const std::size_t group : group_of_) ++sizes_[group];
  }

  // The standard error of (1/r) sum_j t_j: sd of the group means / sqrt(r / members). A last group that is not full
  // is left out of the sd, but its frequencies count.
  double standard_error(std::span<const double> terms) const {
    std::vector<double> means(sizes_.size(), 0.0);
    for (std::size_t j = 0; j < terms.size(); ++j) means[group_of_[j]] += terms[j] / static_cast<double>(members_);
    double sum = 0.0;
    std::size_t full = 0;
    for (std::size_t b = 0; b < means.size(); ++b) {
      if (sizes_[b] != members_) continue;
      sum += means[b];
      ++full;
    }
    if (full < 2) return 1.0;  // a single term shows no spread; no similarity is further off
    const double centre = sum / static_cast<double>(full);
    double squares = 0.0;
    for (std::size_t b = 0; b < means.size(); ++b) {
      if (sizes_[b] == members_) squares += (means[b] - centre) * (means[b] - centre);
    }
    const double variance = squares / static_cast<double>(full - 1);
    return std::sqrt(variance * static_cast<double>(members_) / static_cast<double>(terms.size()));
  }

 private:
  std::size_t members_;                // frequencies of a full group
  std::vector<std::size_t> group_of_;  // each frequency
  std::vector<std::size_t> sizes_;
};

// Var k(z, X) = E k^2 - eta^2 <= eta - eta^2, as 0 <= k <= 1.
double sampling_error(double eta, double n) {
  if (n == 0.0) return std::numeric_limits<double>::infinity();
  const double share = std::clamp(eta, 0.0, 1.0);
  return std::sqrt(share * (1.0 - share) / n);
}

// t_j = r sum_f phi_f dual_f over the features of frequency or landmark j, and eta their mean.
ErrorBar bar_of(const float* phi, std::span<const double> dual, const Similarity& model, const Groups& groups) {
  const std::size_t r = model.map().r();
  std::vector<double> terms(r, 0.0);
  double eta = 0.0;
  for (std::size_t f = 0; f < dual.size(); ++f) {
    const double part = phi[f] * dual[f];
    terms[f % r] += static_cast<double>(r) * part;
    eta += part;
  }
  return {groups.standard_error(terms), sampling_error(eta, model.n())};
}

void random_map_bars(const Similarity& model, Rows rows, Rows variances, Pool* pool, std::span<ErrorBar> bars) {
  const std::size_t size = model.map().size();
  const Groups groups(model.map());
  const std::vector<double> dual = model.map().dual(model.mean());
  const auto work = [&](std::size_t block) {
    const std::size_t begin = block * kProjectedRows;
    const std::size_t end = std::min(rows.n(), begin + kProjectedRows);
    std::vector<float> features((end - begin) * size);
    if (variances.empty()) {
      model.map().project(rows.slice(begin, end), features);
    } else {
      model.map().project_expected(rows.slice(begin, end), variances.slice(begin, end), features);
    }
    for (std::size_t i = begin; i < end; ++i) {
      bars[i] = bar_of(features.data() + (i - begin) * size, dual, model, groups);
    }
  };
  each(pool, (rows.n() + kProjectedRows - 1) / kProjectedRows, work);
}

}  // namespace

double ErrorBar::total() const { return std::sqrt(monte_carlo * monte_carlo + sampling * sampling); }

std::vector<ErrorBar> error_bars(const Similarity& model, Rows rows, Rows variances, Pool* pool) {
  require_columns(rows, model.map().d(), "map");
  require_finite(rows);
  std::vector<ErrorBar> bars(rows.n());
  if (model.map().block() > 0) {
    random_map_bars(model, rows, variances, pool, bars);
    return bars;
  }
  const std::vector<double> eta = variances.empty() ? model.of(rows, pool) : model.expected(rows, variances, pool);
  for (std::size_t i = 0; i < bars.size(); ++i) bars[i].sampling = sampling_error(eta[i], model.n());
  return bars;
}

}  // namespace expose

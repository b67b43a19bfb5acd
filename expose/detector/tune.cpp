#include "expose/detector/tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/pool.hpp"
#include "expose/calibrate/ranking.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/labelled.hpp"

namespace expose {

namespace {

// Bandwidths are counted in quarters of an octave from the one that a plan would choose. Below a quarter of that one
// few rows have neighbours left, and a few labels cannot tell (docs/labels.md).
constexpr int kOctave = 4;
constexpr int kLowest = -2 * kOctave;
constexpr int kHighest = 3 * kOctave;
constexpr int kFurthest = 10 * kOctave;  // where the search ends in any case
constexpr std::size_t kFolds = 5;
// A gain counts less so many of its standard errors. A compromise: at 1 a few labels hardly ever leave the default, at
// 1/2 they leave it for noise. With few labels the error is itself a guess: as Student's quantiles do, it grows by 0.55
// over the degrees of freedom.
constexpr double kCaution = 0.75;

// 2^(quarters / 4), from constants: exp2 of the C library differs between machines.
double factor(int quarters) {
  constexpr std::array<double, 4> kQuarters = {1.0, 1.1892071150027210667, 1.4142135623730950488,
                                               1.6817928305074290861};
  const int whole = quarters >> 2;  // rounds down, as C++20 says
  return std::ldexp(kQuarters[static_cast<std::size_t>(quarters - 4 * whole)], whole);
}

// A kernel and a scale, and the bandwidth that a plan would choose for them: the coordinates in which a search moves.
struct Family {
  Options options;
  double bandwidth = 0.0;
};

struct Point {
  std::size_t family = 0;
  int quarters = 0;
  auto operator<=>(const Point&) const = default;
};

// What was learned about a point from all labels, or from those outside a fold.
struct Ranked {
  std::vector<double> anomalies, normals;  // similarities, in the order of the labelled rows
};

// Isolation is a kernel of its own: there is only the scale to choose.
bool has_kernel(const Options& start) { return start.map != MapKind::isolation; }

// The families that the start leaves open; its own comes first.
// gaps: values are missing, and only fourier has a closed form for the Laplacian kernel.
std::vector<Options> families_of(const Options& start, bool fixed_kernel, bool gaps) {
  const bool paper = start.preset == Preset::paper;
  const bool structured = start.map == MapKind::sorf || start.map == MapKind::fastfood;
  const bool without_laplacian = structured || (gaps && start.map != MapKind::fourier);
  std::vector<Kernel> kernels = {start.kernel};
  const bool open =
      has_kernel(start) && start.kernel == Kernel(Gaussian{}) && !start.bandwidth && !fixed_kernel && !paper;
  if (open && !without_laplacian) kernels.emplace_back(Laplacian{});
  std::vector<std::optional<Scale>> scales = {start.scale};
  if (!start.scale && !paper) scales.insert(scales.end(), {Scale::zscore, Scale::none});
  std::vector<Options> families;
  for (const Kernel& kernel : kernels) {
    for (const std::optional<Scale>& scale : scales) {
      families.push_back(start);
      families.back().kernel = kernel;
      families.back().scale = scale;
    }
  }
  return families;
}

void require_labels(std::size_t anomalies, std::size_t normals) {
  if (anomalies >= 2 && normals >= 2) return;
  throw Error(Code::invalid_argument,
              "tuning needs at least 2 labelled anomalies and 2 labelled normal rows; there are " +
                  std::to_string(anomalies) + " and " + std::to_string(normals));
}

class Search {
 public:
  Search(const Records& rows, std::span<const Label> labels, const Options& start, bool fixed_kernel)
      : start_(start), pool_(start.threads), columns_(rows.d()), planned_on_(static_cast<std::int64_t>(rows.n())) {
    sample_ = draw_sample(rows, start.seed, start.missing);
    labelled_ = gather_labelled(rows, labels, sample(), start.seed, start.missing);
    require_labels(labelled_.anomalies, labelled_.normals);
    const auto missing = [](double x) { return std::isnan(x); };
    const bool gaps = std::ranges::any_of(sample_, missing) || std::ranges::any_of(labelled_.values, missing);
    open_ = has_kernel(start) && !start.bandwidth && bandwidth(start.kernel) == 0;
    for (const Options& options : families_of(start, fixed_kernel, gaps)) families_.push_back({options, 0.0});
    pool_.run(families_.size(), [&](std::size_t f, std::size_t) {
      families_[f].bandwidth = bandwidth(plan_of(families_[f].options).kernel());
    });
  }

  Tuned run() {
    std::vector<Point> grid;
    for (std::size_t f = 0; f < families_.size(); ++f) grid.push_back({f, 0});
    for (int away = kOctave; open_ && away <= std::max(-kLowest, kHighest); away += kOctave) {
      for (std::size_t f = 0; f < families_.size(); ++f) {
        if (-away >= kLowest) grid.push_back({f, -away});
        if (away <= kHighest) grid.push_back({f, away});
      }
    }
    try_all(grid);
    // Pattern search: whole octaves first, so that it may leave the grid, then halves and quarters.
    for (int step = kOctave; open_ && step > 0;) {
      const Point here = points_[best()];
      try_all({{here.family, here.quarters - step}, {here.family, here.quarters + step}});
      if (points_[best()] == here) step /= 2;
    }
    return result();
  }

 private:
  Records sample() const { return Records(sample_, columns_); }

  // As a batch would be fitted: streams are judged by the same kernel, scale and bandwidth.
  Plan plan_of(Options options) const {
    if (!std::holds_alternative<Everything>(options.memory)) {
      options.memory = Everything{};
      options.trim = options.trim.value_or(0.0);
    }
    return plan_from_sample(sample(), options, planned_on_);
  }

  Options options_at(const Point& point) const {
    const Family& family = families_[point.family];
    Options options = family.options;
    if (!has_kernel(options)) return options;
    options.kernel = kernel_named(name(options.kernel), 0.0);
    options.bandwidth = std::clamp(family.bandwidth * factor(point.quarters), kSmallestBandwidth, kLargestBandwidth);
    return options;
  }

  Ranked rank(const Point& point) const {
    Detector detector(plan_of(options_at(point)), 1);
    detector.learn(sample());
    const Records rows(labelled_.values, columns_);
    const std::vector<Verdict> fitted = detector.judge_fitted(rows);
    const std::vector<Verdict> fresh = labelled_.all_in_sample ? fitted : detector.judge(rows);
    Ranked ranked;
    for (std::size_t i = 0; i < rows.n(); ++i) {
      const double eta = (labelled_.in_sample[i] ? fitted : fresh)[i].similarity;
      (i < labelled_.anomalies ? ranked.anomalies : ranked.normals).push_back(eta);
    }
    return ranked;
  }

  void try_all(const std::vector<Point>& points) {
    std::vector<Point> fresh;
    for (const Point& point : points) {
      if (std::abs(point.quarters) <= kFurthest && std::ranges::find(points_, point) == points_.end()) {
        fresh.push_back(point);
      }
    }
    std::vector<Ranked> ranked(fresh.size());
    pool_.run(fresh.size(), [&](std::size_t i, std::size_t) { ranked[i] = rank(fresh[i]); });
    points_.insert(points_.end(), fresh.begin(), fresh.end());
    std::ranges::move(ranked, std::back_inserter(ranked_));
  }

  // What the labels say that `keep` names: (class, place) -> whether it is looked at.
  template <class Keep>
  std::vector<Gain> gains(const Keep& keep) const {
    std::vector<Gain> all;
    std::optional<Placements> first;
    for (const Ranked& ranked : ranked_) {
      const Placements placed = placements(kept(ranked.anomalies, keep), kept(ranked.normals, keep));
      if (!first) first = placed;
      all.push_back(gain(placed, *first));
    }
    return all;
  }

  template <class Keep>
  static std::vector<double> kept(const std::vector<double>& eta, const Keep& keep) {
    std::vector<double> some;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      if (keep(i)) some.push_back(eta[i]);
    }
    return some;
  }

  // The largest gain less its standard error, nearly; the start has 0.
  static std::size_t best_of(const std::vector<Gain>& gains, std::size_t fewest) {
    const double caution = kCaution * (1.0 + 0.55 / static_cast<double>(fewest - 1));
    std::size_t best = 0;
    double most = 0;
    for (std::size_t i = 0; i < gains.size(); ++i) {
      const double sure = gains[i].auc - caution * gains[i].error;
      if (sure > most) {
        best = i;
        most = sure;
      }
    }
    return best;
  }

  std::size_t fewest() const { return std::min(labelled_.anomalies, labelled_.normals); }
  std::size_t best() const {
    return best_of(gains([](std::size_t) { return true; }), fewest());
  }

  // For each fold: chosen by the other labels, measured on the pairs within the fold. Too few labels for that: as is.
  double cross_validated(std::size_t chosen) const {
    const std::size_t folds = std::min(kFolds, fewest() / 2);
    if (folds < 2) return auc(ranked_[chosen].anomalies, ranked_[chosen].normals);
    double right = 0, pairs = 0;
    for (std::size_t fold = 0; fold < folds; ++fold) {
      const auto outside = [&](std::size_t i) { return i % folds != fold; };
      const auto inside = [&](std::size_t i) { return i % folds == fold; };
      const std::size_t others =
          kept(fewest() == labelled_.anomalies ? ranked_[0].anomalies : ranked_[0].normals, outside).size();
      const Ranked& choice = ranked_[best_of(gains(outside), others)];
      const std::vector<double> anomalies = kept(choice.anomalies, inside), normals = kept(choice.normals, inside);
      const auto here = static_cast<double>(anomalies.size()) * static_cast<double>(normals.size());
      right += here * auc(anomalies, normals);
      pairs += here;
    }
    return right / pairs;
  }

  Tuned result() const {
    Tuned tuned;
    const std::vector<Gain> all = gains([](std::size_t) { return true; });
    for (std::size_t i = 0; i < points_.size(); ++i) {
      tuned.trials.push_back(
          {options_at(points_[i]), auc(ranked_[i].anomalies, ranked_[i].normals), all[i].auc, all[i].error});
    }
    const std::size_t chosen = best_of(all, fewest());
    tuned.options = chosen == 0 ? start_ : tuned.trials[chosen].options;
    tuned.auc = cross_validated(chosen);
    tuned.auc_of_start = tuned.trials[0].auc;
    tuned.anomalies = labelled_.anomalies;
    tuned.normals = labelled_.normals;
    return tuned;
  }

  Options start_;
  Pool pool_;
  std::size_t columns_;
  std::int64_t planned_on_;
  std::vector<double> sample_;
  Labelled labelled_;
  bool open_ = true;  // the bandwidth
  std::vector<Family> families_;
  std::vector<Point> points_;  // tried so far, and how they ranked the labelled rows
  std::vector<Ranked> ranked_;
};

}  // namespace

Tuned tune(Records rows, std::span<const Label> labels, const Options& start, bool fixed_kernel) {
  require_valid(start);
  if (labels.size() != rows.n()) {
    throw Error(Code::shape_mismatch,
                "there are " + std::to_string(labels.size()) + " labels for " + std::to_string(rows.n()) + " rows");
  }
  if (rows.empty()) require_labels(0, 0);
  return Search(rows, labels, start, fixed_kernel).run();
}

}  // namespace expose

#include "expose/detector/watcher.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/sampler.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

namespace {

// sum_j a_j b_j in double: number j goes to lane j mod 16 and the lanes are added as a tree, a fixed order that leaves
// the compiler room.
template <class T>
double dot(const std::vector<T>& a, const std::vector<double>& b) {
  constexpr std::size_t kLanes = 16;
  std::array<double, kLanes> lanes{};
  const std::size_t whole = a.size() - a.size() % kLanes;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[j + lane] * b[j + lane];
  }
  for (std::size_t j = whole; j < a.size(); ++j) lanes[j - whole] += a[j] * b[j];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

double gamma_of(const Memory& memory) {
  const Fading* const fading = std::get_if<Fading>(&memory);
  return fading == nullptr ? 0.0 : fading->gamma;
}

std::variant<MeanMap, WindowMean, FadingMean> empty_model(const Plan& plan) {
  if (const Window* const window = std::get_if<Window>(&plan.memory())) return WindowMean(plan.map(), *window);
  if (const Fading* const fading = std::get_if<Fading>(&plan.memory())) return FadingMean(plan.map(), *fading);
  return MeanMap(plan.map());
}

// Throws for a gate before a memory that forgets.
void require_fit(const Memory& memory, bool gate, double trim) {
  if (!gate || std::holds_alternative<Everything>(memory)) return;
  throw Error(Code::invalid_argument, "only the memory everything has a gate; with the memory " + name(memory) +
                                          " trim must be 0, it is " + text(trim));
}

double valid(double alpha) {
  require_valid(Threshold(Alpha{alpha}));
  return alpha;
}

Options valid(Options options) {
  if (options.fdr || options.contamination || options.top) {
    throw Error(Code::invalid_argument,
                "a stream flags each row by itself, by alpha; fdr, contamination and top need a batch of rows");
  }
  require_valid(options);
  require_fit(options.memory, options.trim.value_or(0) > 0, options.trim.value_or(0));
  // A map that the kernel does not have: rather now than 256 rows later.
  if (options.map && *options.map != MapKind::nystrom) {
    make_map({.kind = *options.map, .d = 1, .r = 1, .kernel = kernel_named(name(options.kernel), 1.0)});
  }
  return options;
}

Plan plan_of_first(const Records& rows, const Options& options) {
  Sampler sampler(rows.d(), options.seed);
  sampler.add(rows);
  const std::vector<double> sample = sampler.sample();
  return plan_from_sample(Records(sample, rows.d()), options, sampler.rows(), true);
}

void append(std::vector<double>& rows, const Records& row) {
  for (std::size_t k = 0; k < row.d(); ++k) rows.push_back(row.at(0, k));
}

}  // namespace

Watcher::Stream::Stream(Plan its_plan)
    : plan(std::move(its_plan)), model(empty_model(plan)), calibration(gamma_of(plan.memory())) {
  require_fit(plan.memory(), plan.parts().gate.has_value(), plan.parts().trim);
}

Watcher::Watcher(Plan plan, double alpha)
    : alpha_(valid(alpha)), columns_(plan.columns()), stream_(std::in_place, std::move(plan)) {}

Watcher::Watcher(Options options) : alpha_(options.alpha), options_(valid(std::move(options))) {}

const Plan& Watcher::plan() const {
  if (stream_) return stream_->plan;
  throw Error(Code::not_found, "there is no plan yet: it is made from the first " + std::to_string(kPlanRows) +
                                   " rows, " + std::to_string(remembered()) + " are here");
}

void Watcher::set_alpha(double alpha) { alpha_ = valid(alpha); }

Verdict Watcher::watch(std::span<const double> row) {
  const Records one(row.data(), 1, row.size());
  require_width(one);
  return watch_row(one);
}

Verdict Watcher::watch(std::span<const float> row) {
  const Records one(Rows(row.data(), 1, row.size()));
  require_width(one);
  return watch_row(one);
}

std::vector<Verdict> Watcher::watch(Records rows) {
  require_width(rows);
  std::vector<Verdict> verdicts;
  verdicts.reserve(rows.n());
  for (std::size_t i = 0; i < rows.n(); ++i) verdicts.push_back(watch_row(rows.slice(i, i + 1)));
  return verdicts;
}

Verdict Watcher::watch_row(const Records& row) {
  columns_ = row.d();
  if (!is_good(row, 0)) {
    ++rejected_;
    return {.status = Status::rejected};
  }
  if (!stream_) {
    wait(row);
    return {.status = Status::learning};
  }
  look(sight_);
  const Verdict verdict = judge_row(row, sight_);
  learn(verdict.similarity);
  return verdict;
}

void Watcher::wait(const Records& row) {
  if (first_rows_.size() + row.d() < kPlanRows * row.d()) {
    append(first_rows_, row);
    ++rows_;
    return;
  }
  std::vector<double> rows = first_rows_;
  append(rows, row);
  const Records first(rows, row.d());
  Watcher ready(plan_of_first(first, options_), alpha_);
  ready.watch(first);
  ready.rows_ = rows_ + 1;  // some may have come and been forgotten
  ready.rejected_ = rejected_;
  *this = std::move(ready);
}

// w, its dual and |w|^2 = <w, w>. The metric of random maps is 1/r times the identity: in eta / |w|^2 it cancels.
void Watcher::look(Sight& sight) const {
  const Stream& stream = *stream_;
  const FeatureMap& map = *stream.plan.map();
  sight.scaled.resize(map.d());
  sight.features.resize(map.size());
  sight.dual.resize(map.size());
  if (const FadingMean* const fading = std::get_if<FadingMean>(&stream.model)) {
    std::ranges::copy(fading->mean(), sight.dual.begin());
  } else {
    const WindowMean* const window = std::get_if<WindowMean>(&stream.model);
    const MeanMap& mean = window != nullptr ? window->mean_map() : std::get<MeanMap>(stream.model);
    const auto n = static_cast<double>(std::max<std::int64_t>(mean.state().weight, 1));
    std::ranges::transform(mean.state().sums, sight.dual.begin(), [unit = FeatureMap::kGrid / n](std::int64_t sum) {
      return static_cast<double>(sum) * unit;
    });
  }
  if (map.recipe().kind == MapKind::nystrom) {
    std::vector<double> dual = map.dual(sight.dual);
    sight.volume = dot(sight.dual, dual);
    sight.dual = std::move(dual);
  } else {
    sight.volume = dot(sight.dual, sight.dual);
  }
}

Verdict Watcher::judge_row(const Records& row, Sight& sight) const {
  const Stream& stream = *stream_;
  stream.plan.scaler().apply(row, sight.scaled);
  stream.plan.map()->project(Rows(sight.scaled, sight.scaled.size()), sight.features);
  Verdict verdict{.status = Status::learning};
  if (sight.volume > 0) verdict.similarity = dot(sight.features, sight.dual) / sight.volume;
  if (remembered() < kFewestRows) return verdict;
  verdict.status = Status::ok;
  verdict.p_value = stream.calibration.p_value(verdict.similarity);
  verdict.anomalous = verdict.p_value <= alpha_;
  return verdict;
}

// The row in sight_, which was this similar.
void Watcher::learn(double similarity) {
  Stream& stream = *stream_;
  const Rows scaled(sight_.scaled, sight_.scaled.size());
  if (FadingMean* const fading = std::get_if<FadingMean>(&stream.model)) {
    fading->learn_features(sight_.features);
  } else if (WindowMean* const window = std::get_if<WindowMean>(&stream.model)) {
    window->learn_features(scaled, sight_.features);
    stream.similarities.push_back(similarity);
    if (stream.similarities.size() > window->length()) {
      stream.calibration.subtract(stream.similarities.front());
      stream.similarities.pop_front();
    }
  } else if (const auto& gate = stream.plan.gatekeeper();
             !gate || stream.plan.admits(gate->similarity(sight_.features).front())) {
    std::get<MeanMap>(stream.model).add_features(sight_.features);
  } else {
    ++stream.turned_away;
  }
  stream.calibration.add(similarity);
  ++rows_;
}

std::vector<Verdict> Watcher::judge(Records rows) const {
  require_width(rows);
  std::vector<Verdict> verdicts(rows.n(), Verdict{.status = Status::rejected});
  Sight sight;
  if (stream_) look(sight);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (!is_good(rows, i)) continue;
    verdicts[i] = stream_ ? judge_row(rows.slice(i, i + 1), sight) : Verdict{.status = Status::learning};
  }
  return verdicts;
}

std::uint64_t Watcher::remembered() const {
  if (!stream_) return columns_ == 0 ? 0 : first_rows_.size() / columns_;
  if (const FadingMean* const fading = std::get_if<FadingMean>(&stream_->model)) return fading->rows();
  if (const WindowMean* const window = std::get_if<WindowMean>(&stream_->model)) return window->rows().n();
  return static_cast<std::uint64_t>(std::get<MeanMap>(stream_->model).state().weight + stream_->turned_away);
}

double Watcher::weight() const {
  const FadingMean* const fading = stream_ ? std::get_if<FadingMean>(&stream_->model) : nullptr;
  return fading != nullptr ? fading->effective_n() : static_cast<double>(remembered());
}

void Watcher::require_width(const Records& rows) const {
  if (rows.empty() || columns_ == 0 || rows.d() == columns_) return;
  throw Error(Code::shape_mismatch, "rows have " + std::to_string(rows.d()) + " columns, " +
                                        (stream_ ? "the plan takes " : "the first row had ") +
                                        std::to_string(columns_));
}

}  // namespace expose

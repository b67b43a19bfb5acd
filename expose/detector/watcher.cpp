#include "expose/detector/watcher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/interrupt.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/sampler.hpp"
#include "expose/detector/weights.hpp"
#include "expose/simd/products.hpp"

namespace expose {

namespace {

// Rows judged between two looks up.
constexpr std::size_t kStride = 256;

double gamma_of(const Memory& memory) {
  const Fading* const fading = std::get_if<Fading>(&memory);
  return fading == nullptr ? 0.0 : fading->gamma;
}

WindowMean empty_window(const Plan& plan, Window window) {
  if (!plan.parts().unknown) return WindowMean(plan.map(), window);
  return WindowMean(plan.map(), window,
                    [map = plan.map(), unknown = plan.parts().unknown](Rows rows, std::span<float> features) {
                      project(*map, unknown, rows, features);
                    });
}

std::variant<MeanMap, WindowMean, FadingMean> empty_model(const Plan& plan) {
  if (const Window* const window = std::get_if<Window>(&plan.memory())) return empty_window(plan, *window);
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
  if (options.map && !has_landmarks(*options.map)) {
    make_map({.kind = *options.map, .d = 1, .r = 1, .kernel = kernel_named(name(options.kernel), 1.0)});
  }
  // A stream whose map cannot integrate rejects rows with missing values from the first one on. Which of fourier and
  // sorf it will be depends on the columns, but both can.
  if (!integrates(map_of(options, 1), options.kernel)) options.missing = Missing::reject;
  return options;
}

Plan plan_of_first(const Records& rows, const Options& options) {
  Sampler sampler(rows.d(), options.seed, options.missing);
  sampler.add(rows);
  const std::vector<double> sample = sampler.sample();
  return plan_from_sample(Records(sample, rows.d()), options, sampler.rows(), true);
}

void append(std::vector<double>& rows, const Records& row) {
  for (std::size_t k = 0; k < row.d(); ++k) {
    const double value = row.at(0, k);
    rows.push_back(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
}

}  // namespace

Watcher::Stream::Stream(Plan its_plan)
    : plan(std::move(its_plan)), model(empty_model(plan)), calibration(gamma_of(plan.memory())) {
  require_fit(plan.memory(), plan.parts().gate.has_value(), plan.parts().trim);
}

Watcher::Watcher(Plan plan, double alpha)
    : alpha_(valid(alpha)), columns_(plan.columns()), stream_(std::in_place, std::move(plan)) {}

Watcher::Watcher(Options options)
    : alpha_(options.alpha),
      columns_(options.table ? options.table->width() : 0),
      options_(valid(std::move(options))) {}

const Plan& Watcher::plan() const {
  if (stream_) return stream_->plan;
  throw Error(Code::not_found, "there is no plan yet: it is made from the first " + std::to_string(kPlanRows) +
                                   " rows, " + std::to_string(remembered()) + " are here");
}

void Watcher::set_alpha(double alpha) {
  alpha_ = valid(alpha);
  foreseen_.reset();
}

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

Verdict Watcher::peek(std::span<const double> row) {
  const Records one(row.data(), 1, row.size());
  require_width(one);
  foreseen_.reset();
  if (!stream_ || !is_good(one, 0, missing())) return judge(one).front();
  look(sight_);
  const Verdict verdict = judge_row(one, sight_);
  peeked_.assign(row.begin(), row.end());
  foreseen_ = verdict;
  return verdict;
}

// What peek has said to the row, if that was the last that happened.
std::optional<Verdict> Watcher::foreseen(const Records& row) {
  const std::optional<Verdict> verdict = std::exchange(foreseen_, std::nullopt);
  const bool same =
      verdict && row.is_double() && std::memcmp(peeked_.data(), row.doubles(0), row.d() * sizeof(double)) == 0;
  return same ? verdict : std::nullopt;
}

Verdict Watcher::watch_row(const Records& row) {
  columns_ = row.d();
  const std::optional<Verdict> before = foreseen(row);
  if (!is_good(row, 0, missing())) {
    const bool unknown = is_unknown(row, 0, missing());
    ++(unknown ? unknown_ : rejected_);
    return {.status = unknown ? Status::unknown : Status::rejected};
  }
  if (!stream_) {
    wait(row);
    return {.status = Status::learning};
  }
  if (!before) look(sight_);
  const Verdict verdict = before ? *before : judge_row(row, sight_);
  if (verdict.status == Status::unknown) {
    ++unknown_;
  } else {
    learn(verdict.similarity);
  }
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
  ready.rows_ += rows_ + 1 - first.n();  // some may have come and been forgotten
  ready.rejected_ += rejected_;
  ready.unknown_ += unknown_;
  *this = std::move(ready);
}

const MeanMap* Watcher::exact_mean() const {
  if (const WindowMean* const window = std::get_if<WindowMean>(&stream_->model)) return &window->mean_map();
  return std::get_if<MeanMap>(&stream_->model);
}

// Room for a row; for Nystrom alpha = K^+ w and |w|^2 = <w, alpha>, which all rows share.
void Watcher::look(Sight& sight) const {
  const FeatureMap& map = *stream_->plan.map();
  sight.scaled.resize(map.d());
  sight.features.resize(map.size());
  if (!sees_landmarks(map.recipe().kind)) return;
  const MeanMap* const exact = exact_mean();
  const std::vector<double> mean = exact != nullptr ? exact->mean() : std::get<FadingMean>(stream_->model).mean();
  sight.alpha = map.dual(mean);
  sight.volume = std::inner_product(mean.begin(), mean.end(), sight.alpha.begin(), 0.0);
}

// eta(x) / |w|^2 of the row in sight. The metric of random maps is 1/r times the identity: in the quotient it cancels,
// and both sums take one pass over the model as it lies.
double Watcher::relative_similarity(const Sight& sight) const {
  const std::vector<float>& phi = sight.features;
  simd::Products products;
  if (sees_landmarks(stream_->plan.map()->recipe().kind)) {
    products = {simd::products(phi.data(), sight.alpha.data(), phi.size()).cross, sight.volume};
  } else if (const MeanMap* const exact = exact_mean()) {
    const auto n = static_cast<double>(std::max<std::int64_t>(exact->state().weight, 1));
    products = simd::products(phi.data(), exact->state().sums.data(), FeatureMap::kGrid / n, phi.size());
  } else {
    products = simd::products(phi.data(), std::get<FadingMean>(stream_->model).mean().data(), phi.size());
  }
  return products.square > 0 ? products.cross / products.square : 0.0;
}

Verdict Watcher::judge_row(const Records& row, Sight& sight) const {
  const Stream& stream = *stream_;
  stream.plan.scaler().apply(row, sight.scaled);
  if (all_missing(sight.scaled)) return {.status = Status::unknown};
  project(*stream.plan.map(), stream.plan.parts().unknown, Rows(sight.scaled, sight.scaled.size()), sight.features);
  Verdict verdict{.status = Status::learning};
  verdict.similarity = relative_similarity(sight);
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
    if (i % kStride == 0) look_up();
    if (is_unknown(rows, i, missing())) verdicts[i].status = Status::unknown;
    if (!is_good(rows, i, missing())) continue;
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
                                        (stream_   ? "the plan takes "
                                         : table() ? "the table gives "
                                                   : "the first row had ") +
                                        std::to_string(columns_));
}

}  // namespace expose

#include "expose/detector/detector.hpp"

#include <algorithm>
#include <optional>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/row_hash.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

namespace {

// The rows that are not good, counted from `first`.
void name_rejected(std::size_t rows, const std::vector<std::size_t>& good, std::size_t first,
                   std::vector<std::size_t>& rejected) {
  for (std::size_t i = 0, g = 0; i < rows; ++i) {
    if (g < good.size() && good[g] == i) {
      ++g;
    } else {
      rejected.push_back(first + i);
    }
  }
}

}  // namespace

Detector::Detector(Plan plan, std::size_t threads)
    : plan_(std::move(plan)),
      pool_(std::make_shared<Pool>(threads)),
      state_(empty_state()),
      lazy_(std::make_shared<Lazy>()) {
  if (!std::holds_alternative<Everything>(plan_.memory())) {
    throw Error(Code::invalid_argument,
                "a Detector remembers everything; for the memory " + name(plan_.memory()) + " take a Watcher");
  }
}

Detector::State Detector::empty_state() const {
  return {MeanMap(plan_.map()), 0, BottomRows<float>(plan_.d(), kCalibrationRows),
          BottomRows<float>(plan_.d(), std::max<std::size_t>(1, plan_.parts().frequent.size()))};
}

double Detector::turned_away() const { return in_rows(state_.turned_away); }

void Detector::set_threshold(const Threshold& threshold) {
  require_valid(threshold);
  threshold_ = threshold;
}

void Detector::replace(State state) {
  state_ = std::move(state);
  lazy_ = std::make_shared<Lazy>();
}

// One block: scaled and projected once, asked at the gate, added to the sums if it passes, and to the calibration
// sample either way (but for rows that the sample of this detector would drop again).
void Detector::gather_block(Records rows, std::span<const std::int64_t> units, std::size_t first, State& state,
                            Learned& learned) const {
  const GoodRows good = scale_good_rows(plan_.scaler(), rows);
  name_rejected(rows.n(), good.index, first, learned.rejected);
  const Rows scaled(good.scaled, plan_.d());
  const auto weight = [&](std::size_t g) { return units.empty() ? kWeightUnits : units[good.index[g]]; };
  std::vector<char> passes;
  if (units.empty()) {
    passes = learn_rows(scaled, state.mean);
  } else {
    passes = pass_gate(plan_, scaled);
    std::vector<double> weights;  // a row that stays outside weighs nothing
    for (std::size_t g = 0; g < passes.size(); ++g) weights.push_back(passes[g] != 0 ? in_rows(weight(g)) : 0.0);
    state.mean.add(scaled, weights);
  }
  std::vector<double> canonical(rows.d()), row(plan_.d());
  for (std::size_t g = 0; g < passes.size(); ++g) {
    if (weight(g) == 0) continue;
    ++(passes[g] != 0 ? learned.learned : learned.turned_away);
    if (passes[g] == 0) add_units(state.turned_away, weight(g));
    const std::uint64_t hash = hash_row(rows, good.index[g], plan_.parts().seed, canonical);
    const bool frequent = std::ranges::binary_search(plan_.parts().frequent, hash);
    BottomRows<float>& sample = frequent ? state.frequent : state.calibration;
    if (hash >= sample.ceiling() || (!frequent && hash >= state_.calibration.ceiling())) continue;
    std::ranges::copy(scaled[g], row.begin());
    sample.add(hash, row, weight(g));
  }
}

// Adds the rows that pass the gate to the mean, and says which.
std::vector<char> Detector::learn_rows(Rows scaled, MeanMap& mean) const {
  if (!plan_.gatekeeper()) {
    mean.add(scaled);
    return std::vector<char>(scaled.n(), 1);
  }
  std::vector<char> passes;
  std::vector<float> features;
  constexpr std::size_t kSome = 128;  // rows whose features are in memory at a time
  for (std::size_t begin = 0; begin < scaled.n(); begin += kSome) {
    const Rows some = scaled.slice(begin, std::min(begin + kSome, scaled.n()));
    features.resize(some.n() * mean.map().size());
    mean.map().project(some, features);
    for (const double eta : plan_.gatekeeper()->similarity(features)) passes.push_back(plan_.admits(eta) ? 1 : 0);
    mean.add_features(features, std::span(passes).subspan(begin));
  }
  return passes;
}

Detector::State Detector::gather(Records rows, std::span<const std::int64_t> units, Learned& learned) const {
  std::vector<std::optional<State>> parts(pool_->threads());  // of the workers that got a block, whichever they are
  std::vector<Learned> tallies(pool_->threads());
  pool_->run((rows.n() + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t worker) {
    const std::size_t begin = block * kBlock;
    const std::size_t end = std::min(begin + kBlock, rows.n());
    if (!parts[worker]) parts[worker] = empty_state();
    gather_block(rows.slice(begin, end), units.empty() ? units : units.subspan(begin, end - begin), begin,
                 *parts[worker], tallies[worker]);
  });
  std::optional<State> sum;
  for (std::optional<State>& part : parts) {
    if (!part) continue;
    if (!sum) {
      sum = std::move(part);
      continue;
    }
    sum->mean += part->mean;
    add_units(sum->turned_away, part->turned_away);
    sum->calibration += part->calibration;
    sum->frequent += part->frequent;
  }
  for (const Learned& tally : tallies) {
    learned.learned += tally.learned;
    learned.turned_away += tally.turned_away;
    learned.rejected.insert(learned.rejected.end(), tally.rejected.begin(), tally.rejected.end());
  }
  std::ranges::sort(learned.rejected);
  return sum ? std::move(*sum) : empty_state();
}

Learned Detector::learn(Records rows, std::span<const double> weights) {
  require_width(rows);
  Learned learned;
  const State more = gather(rows, weight_units(weights, rows.n()), learned);
  add(more);
  return learned;
}

Learned Detector::forget(Records rows, std::span<const double> weights) {
  require_width(rows);
  Learned forgotten;
  const State less = gather(rows, weight_units(weights, rows.n()), forgotten);
  State left = state_;
  left.mean -= less.mean;
  if (left.turned_away < less.turned_away) {
    throw Error(Code::not_found, "the rows to forget hold " + text(in_rows(less.turned_away)) +
                                     " that the gate keeps out, the model has seen " + text(in_rows(left.turned_away)) +
                                     " of those");
  }
  left.turned_away -= less.turned_away;
  left.calibration -= less.calibration;
  left.frequent -= less.frequent;
  forgotten.landmarks = find_landmarks(plan_, rows);
  replace(std::move(left));
  return forgotten;
}

void Detector::merge(const Detector& other) {
  require_same_plan(plan_, other.plan_);
  add(other.state_);
}

// After an Error nothing has changed. The calibration sample is the one part too large to copy for each row that comes.
void Detector::add(const State& more) {
  MeanMap mean = state_.mean + more.mean;
  BottomRows<float> frequent = state_.frequent;
  frequent += more.frequent;
  std::int64_t turned_away = state_.turned_away;
  add_units(turned_away, more.turned_away);
  state_.calibration += more.calibration;
  state_.mean = std::move(mean);
  state_.frequent = std::move(frequent);
  state_.turned_away = turned_away;
  lazy_ = std::make_shared<Lazy>();
}

void Detector::require_width(const Records& rows) const {
  if (rows.empty() || rows.d() == plan_.columns()) return;
  throw Error(Code::shape_mismatch,
              "rows have " + std::to_string(rows.d()) + " columns, the plan takes " + std::to_string(plan_.columns()));
}

bool operator==(const Detector& a, const Detector& b) {
  return a.fingerprint() == b.fingerprint() && a.threshold_ == b.threshold_ && a.state_ == b.state_;
}

}  // namespace expose

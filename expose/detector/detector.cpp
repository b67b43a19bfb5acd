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

// The rows that are not good, counted from `first`: unknown or rejected.
void name_others(std::size_t rows, const GoodRows& good, std::size_t first, Learned& learned) {
  if (good.index.size() == rows) return;
  for (std::size_t i = 0, g = 0, u = 0; i < rows; ++i) {
    if (g < good.index.size() && good.index[g] == i) {
      ++g;
    } else if (u < good.unknown.size() && good.unknown[u] == i) {
      ++u;
      learned.unknown.push_back(first + i);
    } else {
      learned.rejected.push_back(first + i);
    }
  }
}

}  // namespace

// What a worker has gathered, and room that it uses again for each block.
struct Detector::Part {
  State state;
  Learned learned = {};
  GoodRows good = {};
  std::vector<char> passes = {};
  std::vector<std::uint64_t> hashes = {};
};

Detector::Detector(Plan plan, std::size_t threads) : Detector(std::move(plan), std::make_shared<Pool>(threads)) {}

Detector::Detector(Plan plan, std::shared_ptr<Pool> pool)
    : plan_(std::move(plan)), pool_(std::move(pool)), state_(empty_state()), lazy_(std::make_shared<Lazy>()) {
  if (!std::holds_alternative<Everything>(plan_.memory())) {
    throw Error(Code::invalid_argument,
                "a Detector remembers everything; for the memory " + name(plan_.memory()) + " take a Watcher");
  }
}

Detector::State Detector::empty_state() const {
  return {MeanMap(plan_.map()), 0, BottomRows<float>(plan_.d(), kCalibrationRows),
          BottomRows<float>(plan_.d(), std::max<std::size_t>(1, plan_.parts().frequent.size()))};
}

bool Detector::is_frequent(std::uint64_t hash) const {
  return std::ranges::binary_search(plan_.parts().frequent, hash);
}

Detector Detector::empty() const {
  Detector fresh(plan_, pool_);
  fresh.threshold_ = threshold_;
  return fresh;
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
void Detector::gather_block(const Given& given, std::size_t first, Part& part) const {
  auto& [state, learned, good, passes, hashes] = part;
  scale_good_rows(plan_, given.rows, good, given.all_finite);
  name_others(given.rows.n(), good, first, learned);
  const Rows scaled(good.scaled, plan_.d());
  const auto weight = [&given, &index = good.index](std::size_t g) {
    return given.units.empty() ? kWeightUnits : given.units[index[g]];
  };
  if (given.units.empty()) {
    passes.resize(scaled.n());
    learn_rows(scaled, good.stand_in(plan_), passes, state.mean);
  } else {
    passes = pass_gate(plan_, scaled);
    std::vector<double> weights;  // a row that stays outside weighs nothing
    for (std::size_t g = 0; g < passes.size(); ++g) weights.push_back(passes[g] != 0 ? in_rows(weight(g)) : 0.0);
    add_rows(state.mean, good.stand_in(plan_), scaled, weights);
  }
  if (given.hashes.empty()) {
    hashes.resize(given.rows.n());
    hash_good_rows(given.rows, plan_.parts().seed, plan_.missing(), hashes);
  }
  const std::span<const std::uint64_t> known = given.hashes.empty() ? hashes : given.hashes;
  std::vector<double> row(plan_.d());
  for (std::size_t g = 0; g < passes.size(); ++g) {
    if (!given.admitted.empty()) given.admitted[good.index[g]] = passes[g];
    if (weight(g) == 0) continue;
    ++(passes[g] != 0 ? learned.learned : learned.turned_away);
    if (passes[g] == 0) add_units(state.turned_away, weight(g));
    const std::uint64_t hash = known[good.index[g]];
    const bool frequent = is_frequent(hash);
    BottomRows<float>& sample = frequent ? state.frequent : state.calibration;
    if (hash >= sample.ceiling() || (!frequent && hash >= state_.calibration.ceiling())) continue;
    std::ranges::copy(scaled[g], row.begin());
    sample.add(hash, row, weight(g));
  }
}

// Adds the rows that pass the gate to the mean, and says which.
void Detector::learn_rows(Rows scaled, const std::optional<Unknown>& unknown, std::span<char> passes,
                          MeanMap& mean) const {
  if (!plan_.gatekeeper()) {
    add_rows(mean, unknown, scaled);
    std::ranges::fill(passes, 1);
    return;
  }
  for_projected(mean.map(), unknown, scaled, [&](std::span<const float> features, std::size_t begin) {
    const std::vector<double> eta = plan_.gatekeeper()->similarity(features);
    const std::span<char> pass = passes.subspan(begin, eta.size());
    std::ranges::transform(eta, pass.begin(), [&](double one) { return plan_.admits(one) ? 1 : 0; });
    mean.add_features(features, pass);
  });
}

Detector::State Detector::gather(const Given& given, Learned& learned) const {
  State nothing = empty_state();
  nothing.calibration.expect(lowest_hashes(given.hashes, kCalibrationRows, [&](std::size_t i) {
    return given.hashes[i] < state_.calibration.ceiling() && (given.units.empty() || given.units[i] > 0) &&
           !is_frequent(given.hashes[i]);
  }));
  std::vector<std::optional<Part>> parts(pool_->threads());  // of the workers that got a block, whichever they are
  in_blocks(*pool_, given.rows.n(), [&](std::size_t begin, std::size_t end, std::size_t worker) {
    if (!parts[worker]) parts[worker] = Part{nothing};
    gather_block(given.slice(begin, end), begin, *parts[worker]);
  });
  std::optional<State> sum;
  for (std::optional<Part>& part : parts) {
    if (!part) continue;
    const Learned& tally = part->learned;
    learned.learned += tally.learned;
    learned.turned_away += tally.turned_away;
    learned.rejected.insert(learned.rejected.end(), tally.rejected.begin(), tally.rejected.end());
    learned.unknown.insert(learned.unknown.end(), tally.unknown.begin(), tally.unknown.end());
    if (!sum) {
      sum = std::move(part->state);
      continue;
    }
    sum->mean += part->state.mean;
    add_units(sum->turned_away, part->state.turned_away);
    sum->calibration += part->state.calibration;
    sum->frequent += part->state.frequent;
  }
  std::ranges::sort(learned.rejected);
  std::ranges::sort(learned.unknown);
  return sum ? std::move(*sum) : nothing;
}

Learned Detector::learn(Records rows, std::span<const double> weights) {
  require_width(rows);
  const std::vector<std::int64_t> units = weight_units(weights, rows.n());
  return learn(Given{rows, units});
}

Learned Detector::learn(const Given& given) {
  Learned learned;
  add(gather(given, learned));
  return learned;
}

Learned Detector::forget(Records rows, std::span<const double> weights) {
  require_width(rows);
  Learned forgotten;
  const std::vector<std::int64_t> units = weight_units(weights, rows.n());
  subtract(gather({rows, units}, forgotten));
  forgotten.landmarks = find_landmarks(plan_, rows);
  return forgotten;
}

void Detector::unmerge(const Detector& other) {
  require_same_plan(plan_, other.plan_);
  subtract(other.state_);
}

void Detector::subtract(const State& less) {
  State left = state_;
  left.mean -= less.mean;
  if (left.turned_away < less.turned_away) {
    throw Error(Code::not_found, "what is to be taken out holds " + text(in_rows(less.turned_away)) +
                                     " rows that the gate keeps out, the model has seen " +
                                     text(in_rows(left.turned_away)) + " of those");
  }
  left.turned_away -= less.turned_away;
  left.calibration -= less.calibration;
  left.frequent -= less.frequent;
  replace(std::move(left));
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

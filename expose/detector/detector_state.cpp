// A detector from stored numbers: what must be true of them before anything is built on it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/weights.hpp"
#include "expose/mean/exact.hpp"

namespace expose {

namespace {

[[noreturn]] void throw_corrupt(const std::string& sentence) { throw Error(Code::corrupt, sentence); }

// Frequent rows are in their own sample, which never loses one; the others in the other.
void require_place(std::uint64_t hash, bool frequent, bool among_frequent) {
  if (frequent == among_frequent) return;
  throw_corrupt(
      "row " + hex(hash) +
      (frequent ? " is frequent, it stands among the others" : " is not frequent, it stands among those that are"));
}

// Finite; or, where missing values are integrated out, missing, but not all.
void require_numbers(const BottomRows<float>& sample, Missing missing) {
  for (const auto& [hash, entry] : sample) {
    const auto gaps = std::ranges::count_if(entry.row, [](float x) { return std::isnan(x); });
    const bool infinite = std::ranges::any_of(entry.row, [](float x) { return std::isinf(x); });
    if (!infinite && (gaps == 0 || (missing == Missing::integrate && gaps < std::ssize(entry.row)))) continue;
    throw_corrupt("row " + hex(hash) + " of a sample is not finite");
  }
}

// A given kernel has no place for a row that no kernel gives.
void require_place_in_map(const BottomRows<float>& sample, const FeatureMap& map) {
  if (map.recipe().kind != MapKind::given) return;
  std::vector<float> features(map.size());
  for (const auto& [hash, entry] : sample) {
    try {
      map.project(Rows(entry.row, map.d()), features);
    } catch (const Error& error) {
      throw_corrupt("row " + hex(hash) + " of a sample: " + error.what());
    }
  }
}

void require_shape(const BottomRows<float>& sample, const BottomRows<float>& wanted) {
  if (sample.columns() == wanted.columns() && sample.capacity() == wanted.capacity()) return;
  throw_corrupt("a sample is of " + std::to_string(sample.capacity()) + " rows of " + std::to_string(sample.columns()) +
                " columns, the plan takes " + std::to_string(wanted.capacity()) + " of " +
                std::to_string(wanted.columns()));
}

void require_valid(const Detector::State& state, const Plan& plan, const Detector::State& empty) {
  if (state.mean.map().fingerprint() != plan.map()->fingerprint()) throw_corrupt("the mean is of another map");
  constexpr std::int64_t kMost = kMaxWeight * kWeightUnits;
  if (state.turned_away < 0 || state.turned_away > kMost) {
    throw_corrupt("the rows turned away weigh " + std::to_string(state.turned_away) + " units; they can weigh 0 to " +
                  std::to_string(kMost));
  }
  require_shape(state.calibration, empty.calibration);
  require_shape(state.frequent, empty.frequent);
  for (const BottomRows<float>* const sample : {&state.calibration, &state.frequent}) {
    require_numbers(*sample, plan.missing());
    require_place_in_map(*sample, *plan.map());
  }
  if (state.frequent.ceiling() != BottomRows<float>::kNoCeiling) throw_corrupt("a frequent row was lost");
  const std::vector<std::uint64_t>& frequent = plan.parts().frequent;
  const auto is_frequent = [&](std::uint64_t hash) { return std::ranges::binary_search(frequent, hash); };
  for (const auto& [hash, entry] : state.frequent) require_place(hash, is_frequent(hash), true);
  for (const auto& [hash, entry] : state.calibration) require_place(hash, is_frequent(hash), false);
  // No more than this: whoever forgets rows that were never learned may be left with a sample that outweighs the model.
  const std::size_t rows = state.calibration.size() + state.frequent.size();
  if (rows > 0 && state.mean.state().weight == 0 && state.turned_away == 0) {
    throw_corrupt("a model that weighs nothing has " + std::to_string(rows) + " rows in its samples");
  }
}

}  // namespace

Detector Detector::from_state(Plan plan, State state, const Threshold& threshold, std::size_t threads) {
  Detector detector(std::move(plan), threads);
  require_valid(state, detector.plan_, detector.state_);
  detector.set_threshold(threshold);
  detector.replace(std::move(state));
  return detector;
}

}  // namespace expose

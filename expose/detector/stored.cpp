#include "expose/detector/stored.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "expose/detector/missing.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

StoredRows stored_rows(const Detector::State& state, std::size_t d) {
  StoredRows stored;
  stored.d = d;
  double frequent = 0, drawn = 0;
  for (const BottomRows<float>* sample : {&state.frequent, &state.calibration}) {
    for (const auto& [hash, entry] : *sample) {
      stored.rows.insert(stored.rows.end(), entry.row.begin(), entry.row.end());
      stored.copies.push_back(in_rows(entry.count));
      (sample == &state.frequent ? frequent : drawn) += stored.copies.back();
    }
  }
  stored.weights = stored.copies;
  const double weight = state.mean.weight() + in_rows(state.turned_away);
  const double rest = std::max(0.0, weight - frequent);
  for (std::size_t i = state.frequent.size(); i < stored.weights.size(); ++i) stored.weights[i] *= rest / drawn;
  stored.known = rest > drawn ? weight * (drawn / rest) : weight;
  return stored;
}

std::vector<std::size_t> draw(const std::vector<double>& weights, std::size_t wanted) {
  double total = 0;
  for (const double weight : weights) total += weight;
  std::vector<std::size_t> places;
  if (!(total > 0)) return places;
  double upto = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    upto += weights[i];
    const auto place = static_cast<std::size_t>(upto / total * static_cast<double>(wanted) + 0.5);
    while (places.size() < place) places.push_back(i);
  }
  return places;
}

std::vector<float> draw_rows(const StoredRows& stored, std::size_t wanted) {
  const Rows rows = stored.view();
  std::vector<float> drawn;
  for (const std::size_t i : draw(stored.weights, wanted)) drawn.insert(drawn.end(), rows[i].begin(), rows[i].end());
  return drawn;
}

std::size_t worth(const StoredRows& stored, std::size_t most) {
  return static_cast<std::size_t>(std::floor(std::min(stored.known, static_cast<double>(most))));
}

// Planning fills the gaps of a row before it becomes a landmark, so they are filled here too. By their bits: -0 is no
// 0.
std::vector<char> are_landmarks(const Plan& plan, Rows scaled) {
  const Filled filled = fill(plan.parts().unknown, scaled);
  const Rows rows = filled.rows();
  const auto bits_of = [](std::span<const float> row) {
    const auto bytes = std::as_bytes(row);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const Rows landmarks(plan.map()->recipe().landmarks, plan.d());
  std::unordered_set<std::string> known;
  for (std::size_t j = 0; j < landmarks.n(); ++j) known.insert(bits_of(landmarks[j]));
  std::vector<char> are(rows.n(), 0);
  for (std::size_t i = 0; i < rows.n() && !known.empty(); ++i) are[i] = known.contains(bits_of(rows[i])) ? 1 : 0;
  return are;
}

}  // namespace expose

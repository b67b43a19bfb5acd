// Similarities with a known law of surprise, for the statistics of this room. All from fixed seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/calibrate/tail.hpp"

namespace expose {

// eta = e^-s for n draws of s.
inline std::vector<double> similarities_of(std::size_t n, std::uint64_t seed, const std::function<double(Random&)>& s) {
  Random random(seed, 0);
  std::vector<double> result(n);
  for (double& similarity : result) similarity = std::exp(-s(random));
  return result;
}

inline double exponential(Random& random, double theta) { return -theta * std::log(random.uniform()); }

// s = 1/2 + an exponential of mean theta.
inline std::vector<double> exponential_rows(std::size_t n, std::uint64_t seed, double theta = 0.4) {
  return similarities_of(n, seed, [theta](Random& r) { return 0.5 + exponential(r, theta); });
}

// The same, with the first `planted` rows replaced by far ones: s uniform in [8, 20], so that some are at the floor.
inline std::vector<double> rows_with_outliers(std::size_t n, std::size_t planted, std::uint64_t seed) {
  std::vector<double> rows = exponential_rows(n, seed);
  const auto far = similarities_of(planted, seed + 1, [](Random& r) { return 8.0 + 12.0 * r.uniform(); });
  std::copy(far.begin(), far.end(), rows.begin());
  return rows;
}

inline SurpriseCounts counts_of(std::span<const double> similarities) {
  SurpriseCounts counts;
  for (const double similarity : similarities) counts.add(similarity);
  return counts;
}

inline std::vector<double> p_values(const Tail& tail, std::span<const double> similarities) {
  std::vector<double> p;
  for (const double similarity : similarities) p.push_back(tail.p_value(similarity));
  return p;
}
// Of rows among themselves.
inline std::vector<double> p_values(std::span<const double> similarities) {
  return p_values(Tail(counts_of(similarities)), similarities);
}

// Another order of the same rows.
inline std::vector<double> shuffled(std::vector<double> values, std::uint64_t seed) {
  Random random(seed, 1);
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
  return values;
}

inline double share_at_most(std::span<const double> p_values, double alpha) {
  const auto low = std::count_if(p_values.begin(), p_values.end(), [alpha](double p) { return p <= alpha; });
  return static_cast<double>(low) / static_cast<double>(p_values.size());
}

}  // namespace expose

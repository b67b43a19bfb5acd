// Tables of two columns and the ways to draw a sample from them: what the tests of Sampler are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/detector/sampler.hpp"

namespace expose::sampling {

inline constexpr std::uint64_t kSeed = 7;
inline constexpr std::size_t kD = 2;
inline constexpr std::size_t kK = Sampler::kSampleRows;

using Values = std::vector<double>;

inline Records records(const Values& values) { return Records(values, kD); }
inline std::size_t rows_in(const Values& values) { return values.size() / kD; }

// n rows with normal numbers, all different.
inline Values distinct(std::size_t n, std::uint64_t seed) {
  Random random(seed, 0);
  Values values(n * kD);
  for (double& value : values) value = random.normal();
  return values;
}

inline Values repeated(std::size_t n, double value) { return Values(n * kD, value); }

inline Values together(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Values shuffled(const Values& values, std::uint64_t seed) {
  Random random(seed, 0);
  Values mixed = values;
  for (std::size_t i = rows_in(values); i > 1; --i) {
    const std::size_t j = random.below(i);
    for (std::size_t k = 0; k < kD; ++k) std::swap(mixed[(i - 1) * kD + k], mixed[j * kD + k]);
  }
  return mixed;
}

inline Sampler first_pass(const Values& values, std::uint64_t seed = kSeed) {
  Sampler sampler(kD, seed);
  sampler.add(records(values));
  return sampler;
}

// As a caller that can read twice draws it.
inline Values draw(const Values& values, std::uint64_t seed = kSeed) {
  Sampler sampler = first_pass(values, seed);
  if (sampler.wants_second_pass()) sampler.recount(records(values));
  return sampler.sample();
}

// Value 100 + h comes n / (10 (h + 1)) times for h < 100: about half of the rows. The others are a long tail.
inline Values heavy_and_tail(std::size_t n) {
  Values values;
  for (std::size_t h = 0; h < 100; ++h) {
    values = together(std::move(values), repeated(n / (10 * (h + 1)), 100.0 + static_cast<double>(h)));
  }
  return together(values, distinct(n - rows_in(values), 11));
}

}  // namespace expose::sampling

// Some rows of a plan's sample, evenly spaced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "expose/base/rows.hpp"

namespace expose {

// `wanted` rows of a sample of n, or all if there are fewer, evenly spaced: a uniform draw, since the sample is in the
// order of its hashes, in which a row that is there often keeps its share, since its copies are neighbours.
inline std::vector<std::size_t> spaced(std::size_t n, std::size_t wanted) {
  const std::size_t count = std::min(n, wanted);
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i * n / count;
  return places;
}

inline std::vector<float> pick(Rows sample, const std::vector<std::size_t>& places) {
  std::vector<float> picked;
  picked.reserve(places.size() * sample.d());
  for (const std::size_t i : places) picked.insert(picked.end(), sample[i].begin(), sample[i].end());
  return picked;
}

}  // namespace expose

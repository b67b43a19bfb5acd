// for_projected: rows become features, some at a time, so that no matrix of rows x features is ever in memory.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "expose/map/feature_map.hpp"

namespace expose {

// Rows a worker takes at a time: scaled they stay in its cache. Like the rows that are projected at a time it is a
// multiple of what the loops do at once; no bit depends on it.
inline constexpr std::size_t kBlockRows = 480;

// Calls take(features, begin) for some rows after the others: the features of rows begin, begin + 1, ..., row after
// row, at most 1 MiB of them, or of 12 rows. project(rows, features) makes them, `size` a row.
template <class Project, class Take>
void for_projected(std::size_t size, Rows rows, const Project& project, const Take& take) {
  constexpr std::size_t kFloats = 1 << 18, kLeast = 12, kMost = 96;
  const std::size_t some = std::clamp(kFloats / size / kLeast * kLeast, kLeast, kMost);
  const auto features = std::make_unique_for_overwrite<float[]>(std::min(some, rows.n()) * size);
  for (std::size_t begin = 0; begin < rows.n(); begin += some) {
    const Rows part = rows.slice(begin, std::min(begin + some, rows.n()));
    const std::span<float> theirs(features.get(), part.n() * size);
    project(part, theirs);
    take(std::span<const float>(theirs), begin);
  }
}

// The same by the map. Throws as FeatureMap::project does.
template <class Take>
void for_projected(const FeatureMap& map, Rows rows, const Take& take) {
  for_projected(
      map.size(), rows, [&](Rows some, std::span<float> features) { map.project(some, features); }, take);
}

}  // namespace expose

// The units of exact sums and why they never overflow; shared by the sources of MeanMap, not for users.
//
// A feature is at most 1, 2^22 units of the grid, but for the last bits of its cosine. A mean weighs at most 2^40
// units, so every sum stays within 2^62 and a little, and the difference of any two fits into 64 bits without a sign.
#pragma once

#include <cstdint>

#include "expose/mean/mean_map.hpp"

namespace expose {

// Weights in whole units: 2^40 rows, or 2^30 in steps of 1/1024.
inline constexpr std::int64_t kMaxWeight = std::int64_t{1} << 40;
// Units of 1 where a fractional weight came in.
inline constexpr std::int64_t kUnitsPerWeight = 1024;
// Grid units of the feature 1.
inline constexpr std::int64_t kGridUnits = std::int64_t{1} << 22;

// More than any feature: cosines overshoot 1 by a few grid units, so a thousandth is generous.
inline constexpr std::int64_t kMostFeature = kGridUnits + kGridUnits / 1024;

static_assert(static_cast<double>(kUnitsPerWeight) * MeanMap::kWeightUnit == 1.0);
static_assert(static_cast<double>(kGridUnits) * FeatureMap::kGrid == 1.0);

}  // namespace expose

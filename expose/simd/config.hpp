// What all files of this room agree on, before Highway is included.
#pragma once

#include <cstddef>
#include <cstdint>

// Targets that bring nothing here: AVX3_DL runs the same loops as AVX3, SSSE3 and SSE4 lack fused multiply-add as the
// portable SCALAR does, and vectors of unknown length (SVE) cannot hold a register tile.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

namespace expose::simd {

// Virtual lanes: slot j is summed in lane j mod 16 on every target, whatever the width of the real vectors.
inline constexpr std::size_t kLanes = 16;

// int32 sums of grid bits are exact for this many rows: 504 (2^22 + 4) < 2^31; a multiple of every tile height.
inline constexpr std::size_t kMaxRows = 504;

// Floats in [2, 4] are 2^-22 apart. So 3 + f, for a feature f in [-1, 1], rounds f to the grid 2^-22, and the bits of
// the sum are bits(3) + round(2^22 f): an integer that can be added exactly.
inline constexpr std::int32_t kThree = 0x40400000;  // the bits of 3.0f

// A sum of such bits over some rows, wrapped around as int32 does, in units of the grid.
inline std::int32_t grid_units(std::int32_t sum_of_bits, std::size_t rows) {
  const auto base = static_cast<std::uint32_t>(rows) * static_cast<std::uint32_t>(kThree);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum_of_bits) - base);
}

}  // namespace expose::simd

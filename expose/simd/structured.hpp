// The loops of the structured maps: frequencies that are products of sign flips and Hadamard transforms.
//
//   SORF      w = scale_i (H S3 H S2 H S1)_i        (Yu et al. 2016), S random signs
//   Fastfood  w = scale_i (H G P H B)_i             (Le et al. 2013), B signs, P a permutation, G Gaussian
//
// A block has D frequencies, D the power of two from max(16, d). Sixteen blocks lie side by side in the virtual lanes,
// so butterflies are vertical and the same code serves one row: slot = (group D + position) 16 + lane, block =
// 16 group + lane. Not all slots need be in use: a map has r frequencies, in ascending order of their slots.
// All functions are stateless but for a scratch buffer a thread; any number of threads may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expose/base/aligned.hpp"
#include "expose/base/rows.hpp"
#include "expose/simd/config.hpp"

namespace expose::simd {

// One sweep over the D positions that does the Hadamard stages of `radix` at distance `stride`.
struct Pass {
  std::size_t radix;
  std::size_t stride;
  bool operator==(const Pass&) const = default;
};

// The stages of a Hadamard transform of size D = 2^L, cut into passes of at most four stages, as equal as can be, the
// larger first. SORF runs them up, down and up again; the order of the additions is part of the map.
std::vector<Pass> hadamard_passes(std::size_t D);

struct Structured {
  std::size_t d = 0;
  std::size_t r = 0;
  std::size_t D = 0;
  std::size_t blocks = 0;  // in use
  std::size_t groups = 0;  // of 16 blocks
  float reach = 0;         // coordinates are held in [-reach, reach]
  std::vector<Pass> passes;
  std::size_t flips = 0;                   // sign vectors: 3 for SORF, 1 for Fastfood
  AlignedVector<float> signs;              // [groups][flips][D][16], +1 or -1
  AlignedVector<float> gains;              // Fastfood: G after P, [groups][D][16]; empty for SORF
  std::vector<std::uint32_t> permutation;  // Fastfood: [groups][D][16], which position comes here
  AlignedVector<float> scale;              // [slots], to phases in turns
  AlignedVector<float> mean_square;        // [slots], |w|^2 / D in turns: of a coordinate of w, on average
  std::vector<std::uint32_t> slot;         // [r]: where frequency j lies

  std::size_t slots() const { return groups * D * kLanes; }
};

// features: [n][2 r], cosines then sines, each on the grid 2^-22.
void project(const Structured& map, Rows rows, float* features);
// sums[j] += sum over rows of the features, in units of 2^-22.
void accumulate(const Structured& map, Rows rows, std::int64_t* sums);
// A row of a stream: sum_j phi_j sums_j, in units of 2^-44 and in double; then sums[j] += phi_j, in units of 2^-22.
// REQUIRES: r == slots
double watch(const Structured& map, std::span<const float> row, std::int64_t* sums);
// eta[i] = sum_s amplitude_s cos 2 pi (p_s + start_s); both have map.slots() entries, 0 where no frequency is.
void similarity(const Structured& map, Rows rows, const float* amplitude, const float* start, double* eta);

}  // namespace expose::simd

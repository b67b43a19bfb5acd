// The loops of the dense maps: random Fourier features, Nystrom's kernel vector, distances for the isolation kernel.
//
// All are a product or a distance of the row and r columns (frequencies or landmarks) and a function of it, so they
// share one loop: a tile of rows x 2 vectors of columns is held in registers, and what comes out of it is added to the
// sums or the similarities at once; the n x r matrix of products is never stored.
// Columns are packed in panels of 32: panels[q][k][j] is coordinate k of column 32 q + j; `slots` is r rounded up.
// All functions are stateless but for a scratch buffer a thread; any number of threads may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "expose/base/aligned.hpp"
#include "expose/base/rows.hpp"

namespace expose::simd {

inline constexpr std::size_t kPanel = 32;

// What becomes of a, the product or distance of row and column, both as the loop sees them.
enum class Profile {
  fourier,    // a = <w, x> in turns:     cos and sin of it
  gaussian,   // a = |x - z|^2:           2^-a
  matern32,   // a = |x - z|^2 = t^2:     (1 + t) e^-t
  matern52,   //                          (1 + t + t^2/3) e^-t
  laplacian,  // a = |x - z|_1:           2^-a
};

struct Dense {
  Profile profile = Profile::fourier;
  std::size_t d = 0;
  std::size_t r = 0;
  std::size_t slots = 0;
  float reach = 0;              // coordinates are held in [-reach, reach]
  AlignedVector<float> panels;  // [slots / 32][d][32]
  // For the kernels only: coordinates are centred, held and multiplied by `gain` (1 over the bandwidth, and what the
  // profile wants besides); columns are packed so too. Empty for fourier.
  AlignedVector<float> centre;  // [d]
  float gain = 1;

  // Coordinate k as the loop sees it. REQUIRES: the profile is a kernel
  float seen(float value, std::size_t k) const {
    const float centred = value - centre[k];
    return (centred < -reach ? -reach : centred > reach ? reach : centred) * gain;
  }

  std::size_t features() const { return profile == Profile::fourier ? 2 * r : r; }
};

// Rounded up to whole panels.
inline std::size_t panel_slots(std::size_t r) { return (r + kPanel - 1) / kPanel * kPanel; }

// columns: r rows of d numbers.
AlignedVector<float> pack_panels(std::span<const float> columns, std::size_t r, std::size_t d);

// features: [n][features()], each on the grid 2^-22.
void project(const Dense& map, Rows rows, float* features);
// sums[j] += sum over rows of the features, in units of 2^-22.
void accumulate(const Dense& map, Rows rows, std::int64_t* sums);
// eta[i] = sum_j amplitude_j f(a_j), f = cos (2 pi a) with a starting at start_j for fourier, the kernel otherwise
// (start is not read). Both have map.slots entries, amplitude 0 where there is no column.
void similarity(const Dense& map, Rows rows, const float* amplitude, const float* start, double* eta);
// A row of a stream: sum_j phi_j sums_j, in units of 2^-44 and in double; then sums[j] += phi_j, in units of 2^-22.
// REQUIRES: the profile is fourier and r == slots
double watch(const Dense& map, const float* row, std::int64_t* sums);
// squared: [n][slots], |x_i - z_j|^2 of row and column, both as the loop sees them. REQUIRES: the profile is gaussian
void squared_distances(const Dense& map, Rows rows, float* squared);

}  // namespace expose::simd

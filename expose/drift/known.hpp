// The exact kernel between scaled rows, free of map and gate, where some numbers may be missing (NaN): a column that
// is unknown in either row says nothing about how far apart they are, so it is left out of the kernel.
//   Gaussian, Laplacian: products over the columns, the unknown ones without their factor; Matern: of the distance in
//   the other columns.
// Pure functions; any number of threads may call them.
#pragma once

#include <span>
#include <vector>

#include "expose/base/rows.hpp"
#include "expose/map/kernel.hpp"

namespace expose {

class Pool;

// What each column adds to the sum that evaluate_at takes; 0 where unknown. Returns the sum.
// REQUIRES: x.size() == z.size() == terms.size()
double known_terms(const Kernel& kernel, std::span<const float> x, std::span<const float> z, std::span<double> terms);

// k(x, z) over the columns known in both; 1 if there is none. REQUIRES: x.size() == z.size()
double evaluate_known(const Kernel& kernel, std::span<const float> x, std::span<const float> z);

// k(x_i, x_j), n rows of n numbers. With a pool on all its threads, to the same bits.
std::vector<float> known_matrix(const Kernel& kernel, Rows rows, Pool* pool = nullptr);

}  // namespace expose

// Which columns moved: how much of the mmd between two samples vanishes when a column is treated as unknown, and how
// much there is of it when all others are.
// A pure function; any number of threads may call it.
#pragma once

#include <vector>

#include "expose/base/rows.hpp"
#include "expose/map/kernel.hpp"

namespace expose {

class Pool;

// With mmd^2 the unbiased estimate by the exact kernel, mmd^2_-k the same without column k and mmd^2_k with it alone:
//   share_k = max(0, mmd^2 - mmd^2_-k) + max(0, mmd^2_k), divided by their sum: >= 0, together 1, or all 0.
// Where several columns moved far, the others still tell the samples apart without one of them: the second part names
// it. O(d n^2). Numbers may be missing (NaN). All 0 where a sample has fewer than 2 rows. REQUIRES: a.d() == b.d()
std::vector<double> moved_columns(const Kernel& kernel, Rows a, Rows b, Pool* pool = nullptr);

}  // namespace expose

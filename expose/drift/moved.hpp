// Which columns moved: how much of the mmd between two samples vanishes when a column is treated as unknown.
// A pure function; any number of threads may call it.
#pragma once

#include <vector>

#include "expose/base/rows.hpp"
#include "expose/map/kernel.hpp"

namespace expose {

class Pool;

// With mmd^2 the unbiased estimate by the exact kernel, and mmd^2_k the same without column k:
//   share_k = max(0, mmd^2 - mmd^2_k), divided by their sum: >= 0, together 1, or all 0 where nothing vanishes.
// O(d n^2). Numbers may be missing (NaN). All 0 where a sample has fewer than 2 rows.
// REQUIRES: a.d() == b.d()
std::vector<double> moved_columns(const Kernel& kernel, Rows a, Rows b, Pool* pool = nullptr);

}  // namespace expose

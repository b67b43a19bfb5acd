// How wide a kernel is where nobody said: a share of the median distance of rows that differ.
// A pure function; any number of threads may call it.
#pragma once

#include "expose/base/rows.hpp"
#include "expose/detector/missing.hpp"
#include "expose/map/kernel.hpp"

namespace expose {

// From rows that are scaled, in the order of their hashes; 1 where no two differ. Where values are missing, by expected
// distances.
double choose_bandwidth(const Kernel& kernel, Rows sample, const Unknown& unknown);

}  // namespace expose

// sort_numbers: many doubles in ascending order, without comparisons (radix sort).
//
// A pure function; any number of threads may call it.
#pragma once

#include <vector>

namespace expose {

// REQUIRES: no NaN and no -0
void sort_numbers(std::vector<double>& values);

}  // namespace expose

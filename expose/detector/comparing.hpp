// The p-value of drift by itself, for those who compare many pairs of models.
// Pure functions of two detectors; any number of threads may call them.
#pragma once

#include "expose/detector/detector.hpp"

namespace expose {

// The p-value of drift(a, b) alone, without the search for the columns that moved, which costs more for few rows.
// Throws as drift does.
double drift_p_value(const Detector& a, const Detector& b, Pool* pool = nullptr);

}  // namespace expose

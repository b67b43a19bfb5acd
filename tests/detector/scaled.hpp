// Rows as the scaler of a plan makes them.
#pragma once

#include <vector>

#include "expose/detector/plan.hpp"

namespace expose {

inline std::vector<float> scaled(const Plan& made, Records rows) {
  std::vector<float> values(rows.n() * made.d());
  made.scaler().apply(rows, values);
  return values;
}

}  // namespace expose

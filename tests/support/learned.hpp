// learned(map, rows): the mean map of these rows, in one expression.
#pragma once

#include "expose/mean/mean_map.hpp"

namespace expose {

inline MeanMap learned(const SharedMap& map, Rows rows, Pool* pool = nullptr) {
  MeanMap mean(map);
  mean.add(rows, pool);
  return mean;
}

}  // namespace expose

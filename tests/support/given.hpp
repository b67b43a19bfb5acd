// Rows for a kernel that only the caller knows: its values with the landmarks.
#pragma once

#include "expose/map/feature_map.hpp"
#include "tests/support/tables.hpp"

namespace expose {

inline const Kernel kOnlyWeKnow = Gaussian{2.0};

// k(x_i, z_j), a row for each x.
inline Table kernel_rows(const Table& x, const Table& z) {
  Table rows{{}, z.n()};
  for (std::size_t i = 0; i < x.n(); ++i) {
    for (std::size_t j = 0; j < z.n(); ++j) {
      rows.values.push_back(static_cast<float>(evaluate(kOnlyWeKnow, x.rows()[i], z.rows()[j])));
    }
  }
  return rows;
}

inline Recipe given(const Table& matrix) {
  return {.kind = MapKind::given, .d = matrix.d, .r = matrix.n(), .kernel = Gaussian{1.0}, .landmarks = matrix.values};
}

}  // namespace expose

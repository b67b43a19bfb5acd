// Picture: rows as points of a plane, the first two principal components of their features (kernel PCA).
//
// With K_ij = k(x_i, x_j) over a sample, centred on both sides, and its largest eigenpairs (lambda_a, u_a), sample row
// i lies at sqrt(lambda_a) u_a(i), and any other row at what Nystrom's extension says:
//   y_a(x) = sum_i u_a(i) / sqrt(lambda_a) (k(x, x_i) - mean_j k(x_i, x_j))
// k is the exact kernel of the map, not its features; for isolation and given, which have no other, their inner
// product.
// A point depends on its row and the sample alone. Equal to the bit within one processor architecture, as Nystrom's
// weights are. A pure function; any number of threads may call it.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "expose/map/feature_map.hpp"

namespace expose {

class Pool;

struct Picture {
  struct Point {
    double x = 0.0;
    double y = 0.0;
    bool operator==(const Point&) const = default;
  };
  // Enough rows for the two directions of most variance; the cost grows with their cube.
  static constexpr std::size_t kSampleRows = 500;

  std::vector<Point> points;            // one a row
  std::array<double, 2> variance = {};  // the share of the sample's variance that each axis shows
  bool operator==(const Picture&) const = default;
};

// The sign of an axis: the first sample row of those farthest out on it (to a share of 1e-6) has a number above 0. Axes
// of equal variance may be turned in their plane: which way is up to the solver. An axis without variance (equal rows,
// one row, no sample) is 0 for all. O(s^3 + (s + n) s d), s the rows of the sample. Throws, as FeatureMap::project
// does, for rows of a wrong width, NaN and infinity: what is missing is for the caller to fill in.
EXPOSE_API Picture principal_components(const FeatureMap& map, Rows sample, Rows rows, Pool* pool = nullptr);

}  // namespace expose

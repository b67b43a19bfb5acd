// The test for models whose rows are gone: the distance of two means, beside what it would be for rows of one kind.
//
// A row that the gate turned away is not in the mean, but counts: as one more feature, phi'(x) = (phi(x), 0) if it
// passes and (0, 1) if not. So a drift out of the gate is seen.  mmd^2 = |sum_a/n_a - sum_b/n_b|^2 + (q_a - q_b)^2,
// q the share turned away. For rows of one kind it is about (1/n_a + 1/n_b) sum_l lambda_l z_l^2, lambda_l the
// eigenvalues of C, the covariance of phi': its moments follow from tr C, tr C^2, tr C^3, which a sample of rows shows.
// Pure functions; any number of threads may call them.
#pragma once

#include <span>
#include <vector>

#include "expose/mean/mean_map.hpp"

namespace expose {

class Pool;

// A model as this test sees it: the sum of phi' over n rows.
struct Side {
  std::vector<double> sum;
  double turned_away = 0.0;
  double n = 0.0;
};

// The sides of a mean map and the weight that did not enter it.
Side side_of(const MeanMap& mean, double turned_away);

// mmd^2 of two sides: 0 for an empty one beside an empty one.
double squared_distance(const FeatureMap& map, const Side& a, const Side& b);

// Some rows of both sides, drawn like all of them: their features, row after row, and which of them pass the gate.
struct Drawn {
  std::span<const float> features;
  std::vector<char> passes;
};

// The chance that rows of one kind lead to means this far apart. 1 where a side is empty or fewer than 4 rows were
// drawn. In (0, 1]. REQUIRES: map.size() features for each flag
double mean_p_value(const FeatureMap& map, const Side& a, const Side& b, const Drawn& drawn, Pool* pool = nullptr);

}  // namespace expose

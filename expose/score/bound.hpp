// The paper's bound for the error of the empirical embedding ("Expected Similarity Estimation"): for all eps > 0,
//   P(|mu[P] - mu[P_n]| >= eps) <= 2 exp(-n eps^2 / (8 c^2)),   c >= |phi(x)|; for our kernels k(x, x) = 1, so c = 1.
//
// No similarity is further off than the embedding: |eta(z) - eta_n(z)| <= |mu[P] - mu[P_n]|. The bound is for
// independent rows and knows nothing of them, so it is wide: error_bar.hpp has what was seen.
// Pure functions; any number of threads may call them.
#pragma once

#include "expose/base/api.hpp"

namespace expose {

// At most how likely the mean of n rows is eps or more off; at most 1.
// Throws Code::invalid_argument unless n >= 0 and eps >= 0 are finite.
EXPOSE_API double embedding_error_probability(double n, double eps);

// Its inverse: the eps that is reached with at most this probability, sqrt(8 log(2 / probability) / n).
// Infinite for n = 0. Throws Code::invalid_argument unless n >= 0 is finite and 0 < probability <= 1.
EXPOSE_API double embedding_error_bound(double n, double probability);

}  // namespace expose

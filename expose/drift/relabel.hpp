// The test for rows that are all at hand: is the mmd of two samples more than the mmd of any two samples that the same
// rows could have been dealt into? With K the matrix of the exact kernel over the n_a + n_b rows, c_i = 1/n_a for rows
// of a and -1/n_b for rows of b:
//   Q = sum_{i != j} K_ij c_i c_j, K centred so that every row without its diagonal sums to 0 (an unbiased mmd^2).
// Over all ways to deal the labels c the first three moments of Q are known exactly, without drawing one; the p-value
// is the tail of the Pearson type III distribution that has them (as in Mielke and Berry's permutation tests). Pure
// functions of their arguments; any number of threads may call them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace expose {

// K without its diagonal, centred: every row and column sums to 0. sum_{i != j} U_ij^2 / (n (n - 3)) is an unbiased
// estimate of tr C^2, C the covariance of the features (Szekely and Rizzo, 2014). REQUIRES: n >= 4, n x n numbers
std::vector<float> centred(std::vector<float> K, std::size_t n);

// Power sums of a centred matrix: over i != j of U^2 and U^3, and over triangles, tr U^3. The last costs n^3, so it is
// taken of a share of the rows, spaced evenly, and scaled up: it decides the skewness alone.
struct PowerSums {
  double squares = 0.0;
  double cubes = 0.0;
  double triangles = 0.0;
};
PowerSums power_sums(std::span<const float> U, std::size_t n);

// Moments of Q over all deals; its mean is 0. REQUIRES: n_a >= 2, n_b >= 2
struct DealMoments {
  double variance = 0.0;
  double third = 0.0;
};
DealMoments deal_moments(const PowerSums& sums, std::size_t n_a, std::size_t n_b);

// The share of deals with a Q of this size or more; rows of a come first. 1 where a side has fewer than 2 rows, of
// which nothing can be told, or all are alike. In (0, 1].
double relabel_p_value(std::vector<float> K, std::size_t n_a, std::size_t n_b);

}  // namespace expose

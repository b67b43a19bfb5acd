#include "expose/drift/means.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "expose/base/pool.hpp"
#include "expose/base/special.hpp"
#include "expose/drift/dot.hpp"
#include "expose/drift/relabel.hpp"

namespace expose {
namespace {

std::vector<double> per_row(const Side& side) {
  std::vector<double> mean(side.sum);
  for (double& feature : mean) feature = side.n > 0 ? feature / side.n : 0.0;
  return mean;
}

double share_outside(const Side& side) { return side.n > 0 ? side.turned_away / side.n : 0.0; }

// <phi'(x_i), phi'(x_j)>, n rows of n numbers.
std::vector<float> feature_matrix(const FeatureMap& map, const Drawn& drawn, Pool* pool) {
  const std::size_t n = drawn.passes.size();
  const std::size_t size = map.size();
  const std::span<const float> features = drawn.features;
  std::vector<float> matrix(n * n);
  const auto fill = [&](std::size_t j) {
    const float* own = features.data() + j * size;
    const std::vector<double> dual = map.dual(std::vector<double>(own, own + size));
    for (std::size_t i = 0; i <= j; ++i) {
      const bool in = drawn.passes[i] != 0, also_in = drawn.passes[j] != 0;
      const double inside = dot(features.data() + i * size, dual.data(), size);
      const double value = in && also_in ? inside : (in || also_in ? 0.0 : 1.0);
      matrix[i * n + j] = matrix[j * n + i] = static_cast<float>(value);
    }
  };
  each(pool, n, fill);
  return matrix;
}

// |mean of phi' over both sides|^2
double pooled_volume(const FeatureMap& map, const Side& a, const Side& b) {
  Side both{a.sum, a.turned_away + b.turned_away, a.n + b.n};
  for (std::size_t j = 0; j < both.sum.size(); ++j) both.sum[j] += b.sum[j];
  const std::vector<double> mean = per_row(both);
  return inner(map, mean, mean) + share_outside(both) * share_outside(both);
}

// The mean of |phi'|^2 over the drawn rows, and the variance of that mean as an estimate of the one over all N rows.
struct Diagonal {
  double mean = 0.0;
  double error = 0.0;
};
Diagonal diagonal_of(std::span<const float> matrix, std::size_t n, double N) {
  const auto count = static_cast<double>(n);
  Diagonal diagonal;
  for (std::size_t i = 0; i < n; ++i) diagonal.mean += matrix[i * n + i] / count;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = matrix[i * n + i] - diagonal.mean;
    diagonal.error += off * off / (count - 1);
  }
  diagonal.error *= std::max(0.0, 1 / count - 1 / N);
  return diagonal;
}

}  // namespace

Side side_of(const MeanMap& mean, double turned_away) { return {mean.sum(), turned_away, mean.weight() + turned_away}; }

double squared_distance(const FeatureMap& map, const Side& a, const Side& b) {
  std::vector<double> difference = per_row(a);
  const std::vector<double> subtrahend = per_row(b);
  for (std::size_t j = 0; j < difference.size(); ++j) difference[j] -= subtrahend[j];
  const double outside = share_outside(a) - share_outside(b);
  return std::max(0.0, inner(map, difference, difference)) + outside * outside;
}

// With s = 1/n_a + 1/n_b: mean s tr C, variance 2 s^2 tr C^2, third moment 8 s^3 tr C^3. tr C = E|phi'|^2 - |E phi'|^2,
// of which the means know the second part and the drawn rows tell the first, with an error that widens the variance.
double mean_p_value(const FeatureMap& map, const Side& a, const Side& b, const Drawn& drawn, Pool* pool) {
  const std::size_t n = drawn.passes.size();
  if (n < 4 || !(a.n > 0) || !(b.n > 0)) return 1.0;
  std::vector<float> matrix = feature_matrix(map, drawn, pool);
  const double N = a.n + b.n;
  const Diagonal diagonal = diagonal_of(matrix, n, N);
  const double trace = std::max(0.0, diagonal.mean - pooled_volume(map, a, b)) * N / (N - 1);
  const PowerSums sums = power_sums(centred(std::move(matrix), n), n);
  const auto m = static_cast<double>(n);
  const double trace_2 = sums.squares / (m * (m - 3));
  const double trace_3 = sums.triangles / (m * (m - 1) * (m - 2));
  const double s = 1 / a.n + 1 / b.n;
  const double p = portable::pearson_tail(s * trace, s * s * (2 * trace_2 + diagonal.error), s * s * s * 8 * trace_3,
                                          squared_distance(map, a, b));
  return std::max(p, std::numeric_limits<double>::min());
}

}  // namespace expose

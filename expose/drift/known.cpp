#include "expose/drift/known.hpp"

#include <cmath>

#include "expose/base/pool.hpp"

namespace expose {
namespace {

// What a column adds: (x - z)^2, for the Laplacian |x - z|.
double term_of(bool squares, float x, float z) {
  const double difference = static_cast<double>(x) - static_cast<double>(z);
  if (std::isnan(difference)) return 0.0;
  return squares ? difference * difference : std::abs(difference);
}

}  // namespace

double known_terms(const Kernel& kernel, std::span<const float> x, std::span<const float> z, std::span<double> terms) {
  const bool squares = rotation_invariant(kernel);
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += terms[k] = term_of(squares, x[k], z[k]);
  return sum;
}

double evaluate_known(const Kernel& kernel, std::span<const float> x, std::span<const float> z) {
  const bool squares = rotation_invariant(kernel);
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += term_of(squares, x[k], z[k]);
  return evaluate_at(kernel, sum);
}

std::vector<float> known_matrix(const Kernel& kernel, Rows rows, Pool* pool) {
  const std::size_t n = rows.n();
  std::vector<float> matrix(n * n, 1.0F);
  const auto fill = [&](std::size_t i) {  // row i writes its part of row and column i, nobody else does
    for (std::size_t j = 0; j < i; ++j) {
      matrix[i * n + j] = matrix[j * n + i] = static_cast<float>(evaluate_known(kernel, rows[i], rows[j]));
    }
  };
  each(pool, n, fill);
  return matrix;
}

}  // namespace expose

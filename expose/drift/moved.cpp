#include "expose/drift/moved.hpp"

#include <algorithm>

#include "expose/base/pool.hpp"
#include "expose/drift/known.hpp"

namespace expose {
namespace {

// What is left of sums of so many numbers up to 1 where they should cancel.
constexpr double kRounding = 1e-12;
double beyond_rounding(double square) { return square > kRounding ? square : 0.0; }

// sum_{pairs} weight k(x, z): number k without column k, number d + k with column k alone, the last with all columns.
void add_pair(const Kernel& kernel, std::span<const float> x, std::span<const float> z, double weight,
              std::span<double> terms, std::span<double> sums) {
  const std::size_t d = terms.size();
  const double all = known_terms(kernel, x, z, terms);
  for (std::size_t k = 0; k < d; ++k) {
    sums[k] += weight * evaluate_at(kernel, std::max(0.0, all - terms[k]));
    sums[d + k] += weight * evaluate_at(kernel, terms[k]);
  }
  sums[2 * d] += weight * evaluate_at(kernel, all);
}

}  // namespace

std::vector<double> moved_columns(const Kernel& kernel, Rows a, Rows b, Pool* pool) {
  const std::size_t d = a.d();
  std::vector<double> shares(d, 0.0);
  if (a.n() < 2 || b.n() < 2) return shares;
  const auto n_a = static_cast<double>(a.n()), n_b = static_cast<double>(b.n());
  // mmd^2 = mean_{i != j} k(a_i, a_j) + mean_{i != j} k(b_i, b_j) - 2 mean k(a_i, b_j)
  std::vector<std::vector<double>> parts(a.n() + b.n(), std::vector<double>(2 * d + 1, 0.0));
  const auto add_row = [&](std::size_t i) {
    std::vector<double> terms(d);
    const bool is_a = i < a.n();
    const Rows& own = is_a ? a : b;
    const std::size_t at = is_a ? i : i - a.n();
    const double pairs = is_a ? n_a * (n_a - 1) / 2 : n_b * (n_b - 1) / 2;
    for (std::size_t j = 0; j < at; ++j) add_pair(kernel, own[at], own[j], 1 / pairs, terms, parts[i]);
    if (!is_a) return;
    for (std::size_t j = 0; j < b.n(); ++j) add_pair(kernel, a[i], b[j], -2 / (n_a * n_b), terms, parts[i]);
  };
  each(pool, parts.size(), add_row);
  std::vector<double> squares(2 * d + 1, 0.0);
  for (const std::vector<double>& part : parts) {
    for (std::size_t k = 0; k < squares.size(); ++k) squares[k] += part[k];
  }
  double moved = 0;
  for (std::size_t k = 0; k < d; ++k) {
    shares[k] = beyond_rounding(squares[2 * d] - squares[k]) + beyond_rounding(squares[d + k]);
    moved += shares[k];
  }
  for (double& share : shares) share = moved > 0 ? share / moved : 0.0;
  return shares;
}

}  // namespace expose

#include "expose/drift/relabel.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "expose/base/special.hpp"
#include "expose/drift/dot.hpp"

namespace expose {
namespace {

constexpr std::size_t kTriangleRows = 600;
// Where centred kernel values are this small all rows are alike, but for rounding.
constexpr double kAlike = 1e-24;

// E[c_1^e_1 c_2^e_2 ..] for different rows 1, 2, ..: over the ways to deal the labels, a or b, to so few of them.
double label_moment(std::initializer_list<int> exponents, double n_a, double n_b) {
  const std::size_t rows = exponents.size();
  double sum = 0;
  for (std::size_t deal = 0; deal < (std::size_t{1} << rows); ++deal) {
    double left_a = n_a, left_b = n_b, left = n_a + n_b;
    double product = 1;
    std::size_t row = 0;
    for (const int exponent : exponents) {
      const bool is_a = (deal >> row++ & 1U) != 0;
      double& mine = is_a ? left_a : left_b;
      if (mine == 0) {
        product = 0;
        break;
      }
      product *= mine / left;
      for (int e = 0; e < exponent; ++e) product *= is_a ? 1 / n_a : -1 / n_b;
      mine -= 1;
      left -= 1;
    }
    sum += product;
  }
  return sum;
}

// tr U^3 = 6 sum_{i < j < k} U_ij U_jk U_ki
double triangles_of(std::span<const float> U, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const std::size_t rest = n - j - 1;
      sum += U[i * n + j] * dot(U.data() + i * n + j + 1, U.data() + j * n + j + 1, rest);
    }
  }
  return 6 * sum;
}

}  // namespace

// U_ij = K_ij - R_i / (n - 2) - R_j / (n - 2) + R / ((n - 1) (n - 2)), R_i = sum_{j != i} K_ij, R = sum_i R_i
std::vector<float> centred(std::vector<float> K, std::size_t n) {
  std::vector<double> R(n);
  double all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) R[i] += i == j ? 0.0 : K[i * n + j];
    all += R[i];
  }
  const auto m = static_cast<double>(n);
  const double both = all / ((m - 1) * (m - 2));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      K[i * n + j] = i == j ? 0.0F : static_cast<float>(K[i * n + j] - (R[i] + R[j]) / (m - 2) + both);
    }
  }
  return K;
}

// A part of U, centred again, is what the same part of K would be.
PowerSums power_sums(std::span<const float> U, std::size_t n) {
  PowerSums sums;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double u = U[i * n + j];
      sums.squares += 2 * u * u;
      sums.cubes += 2 * u * u * u;
    }
  }
  const std::size_t m = std::min(n, kTriangleRows);
  if (m == n) {
    sums.triangles = triangles_of(U, n);
    return sums;
  }
  std::vector<float> part(m * m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) part[i * m + j] = U[(i * n / m) * n + j * n / m];
  }
  const auto triples = [](std::size_t rows) {
    const auto r = static_cast<double>(rows);
    return r * (r - 1) * (r - 2);
  };
  sums.triangles = triangles_of(centred(std::move(part), m), m) * triples(n) / triples(m);
  return sums;
}

// Q is a sum over pairs, Q^2 over two pairs, Q^3 over three: each way in which these share rows has its own moment of
// the labels, and, since rows of U sum to 0, a sum over U that squares, cubes and triangles are enough for.
DealMoments deal_moments(const PowerSums& sums, std::size_t n_a, std::size_t n_b) {
  const auto m = [a = static_cast<double>(n_a), b = static_cast<double>(n_b)](std::initializer_list<int> exponents) {
    return label_moment(exponents, a, b);
  };
  const double m2211 = m({2, 2, 1, 1}), m21111 = m({2, 1, 1, 1, 1}), m111111 = m({1, 1, 1, 1, 1, 1});
  DealMoments moments;
  moments.variance = sums.squares * (2 * m({2, 2}) - 4 * m({2, 1, 1}) + 2 * m({1, 1, 1, 1}));
  moments.third = sums.cubes * (4 * m({3, 3}) - 24 * m({3, 2, 1}) + 36 * m2211 + 16 * m({3, 1, 1, 1}) - 48 * m21111 +
                                16 * m111111) +
                  sums.triangles * (8 * m({2, 2, 2}) - 24 * m2211 + 24 * m21111 - 8 * m111111);
  return moments;
}

double relabel_p_value(std::vector<float> K, std::size_t n_a, std::size_t n_b) {
  const std::size_t n = n_a + n_b;
  if (n_a < 2 || n_b < 2) return 1.0;
  const std::vector<float> U = centred(std::move(K), n);
  const PowerSums sums = power_sums(U, n);
  if (sums.squares <= kAlike * static_cast<double>(n) * static_cast<double>(n)) return 1.0;
  const double c_a = 1 / static_cast<double>(n_a), c_b = -1 / static_cast<double>(n_b);
  double Q = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) row += U[i * n + j] * (j < n_a ? c_a : c_b);
    Q += row * (i < n_a ? c_a : c_b);
  }
  const DealMoments moments = deal_moments(sums, n_a, n_b);
  return std::max(portable::pearson_tail(0.0, moments.variance, moments.third, Q), std::numeric_limits<double>::min());
}

}  // namespace expose

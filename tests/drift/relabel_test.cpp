// The moments over all deals of the labels, against every single deal; the p-value against drawn ones.
#include "expose/drift/relabel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "expose/base/random.hpp"
#include "expose/drift/known.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

// Q for labels: true is a.
double Q_of(const std::vector<float>& U, const std::vector<char>& is_a) {
  const std::size_t n = is_a.size();
  const auto n_a = static_cast<double>(std::count(is_a.begin(), is_a.end(), 1));
  const auto c = [&](std::size_t i) { return is_a[i] != 0 ? 1 / n_a : -1 / (static_cast<double>(n) - n_a); };
  double Q = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) Q += i == j ? 0.0 : U[i * n + j] * c(i) * c(j);
  }
  return Q;
}

std::vector<float> matrix_of(std::size_t n, std::uint64_t seed, double apart = 0.0, std::size_t n_b = 0) {
  Table table = normal_table(n, 2, seed);
  const Table others = normal_table(n_b, 2, seed + 1, apart);
  table.values.insert(table.values.end(), others.values.begin(), others.values.end());
  return known_matrix(Gaussian{1.0}, table.rows());
}

TEST(Relabel, MomentsAreThoseOfEveryDeal) {
  for (const auto& [n_a, n_b] : {std::pair(2, 2), std::pair(2, 4), std::pair(3, 4), std::pair(2, 7), std::pair(5, 5)}) {
    const auto n = static_cast<std::size_t>(n_a + n_b);
    const std::vector<float> U = centred(matrix_of(n, n), n);
    std::vector<char> is_a(n, 0);
    std::fill(is_a.end() - n_a, is_a.end(), 1);
    double deals = 0, first = 0, second = 0, third = 0;
    do {
      const double Q = Q_of(U, is_a);
      deals += 1;
      first += Q;
      second += Q * Q;
      third += Q * Q * Q;
    } while (std::next_permutation(is_a.begin(), is_a.end()));
    const DealMoments moments =
        deal_moments(power_sums(U, n), static_cast<std::size_t>(n_a), static_cast<std::size_t>(n_b));
    EXPECT_NEAR(first / deals, 0.0, 1e-7);
    EXPECT_NEAR(moments.variance / (second / deals), 1.0, 1e-5) << n_a << " and " << n_b;
    EXPECT_NEAR(moments.third / (second / deals) / std::sqrt(second / deals),
                third / deals / (second / deals) / std::sqrt(second / deals), 1e-4)
        << n_a << " and " << n_b;
  }
}

TEST(Relabel, CentredRowsSumToZero) {
  const std::vector<float> U = centred(matrix_of(30, 1), 30);
  for (std::size_t i = 0; i < 30; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 30; ++j) sum += U[i * 30 + j];
    EXPECT_NEAR(sum, 0.0, 1e-5);
    EXPECT_EQ(U[i * 30 + i], 0.0F);
  }
}

// Above kTriangleRows the triangles are seen on a part.
TEST(Relabel, TrianglesOfAPartAreThoseOfTheWhole) {
  const std::size_t n = 700;
  const std::vector<float> U = centred(matrix_of(n, 3), n);
  double whole = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) whole += 6.0 * U[i * n + j] * U[j * n + k] * U[k * n + i];
    }
  }
  EXPECT_NEAR(power_sums(U, n).triangles / whole, 1.0, 0.1);
}

TEST(Relabel, PValueIsTheShareOfDrawnDeals) {
  for (const double apart : {0.0, 0.3, 0.6}) {
    const std::size_t n_a = 25, n_b = 35, n = n_a + n_b;
    const std::vector<float> K = matrix_of(n_a, 5, apart, n_b);
    const std::vector<float> U = centred(K, n);
    std::vector<char> is_a(n, 0);
    std::fill(is_a.begin(), is_a.begin() + n_a, 1);
    const double seen = Q_of(U, is_a);
    Random random(9, 0);
    int as_large = 0;
    for (int deal = 0; deal < 2000; ++deal) {
      for (std::size_t i = n; i > 1; --i) std::swap(is_a[i - 1], is_a[random.below(i)]);
      as_large += Q_of(U, is_a) >= seen ? 1 : 0;
    }
    EXPECT_NEAR(relabel_p_value(K, n_a, n_b), as_large / 2000.0, 0.03) << apart;
  }
}

TEST(Relabel, NothingToCompareIsNoDrift) {
  EXPECT_EQ(relabel_p_value(std::vector<float>(9, 1.0F), 1, 2), 1.0);
  EXPECT_EQ(relabel_p_value(std::vector<float>(100, 1.0F), 9, 1), 1.0);
  EXPECT_EQ(relabel_p_value(std::vector<float>(100, 1.0F), 5, 5), 1.0);  // all rows alike
}

TEST(Relabel, FarApartHasATinyPValueThatIsNotZero) {
  const double p = relabel_p_value(matrix_of(100, 1, 30.0, 100), 100, 100);
  EXPECT_LT(p, 1e-10);
  EXPECT_GT(p, 0.0);
}

}  // namespace
}  // namespace expose

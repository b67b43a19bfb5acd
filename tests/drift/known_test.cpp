// The exact kernel over the columns that are known, against the slow obvious version.
#include "expose/drift/known.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expose/base/pool.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
const std::vector<Kernel> kKernels = {Gaussian{1.5}, Laplacian{2.0}, Matern32{1.5}, Matern52{1.5}};

TEST(Known, WithoutMissingNumbersItIsTheKernel) {
  const Table table = normal_table(20, 5, 1);
  for (const Kernel& kernel : kKernels) {
    for (std::size_t i = 0; i < table.n(); ++i) {
      EXPECT_EQ(evaluate_known(kernel, table.rows()[i], table.rows()[0]),
                evaluate(kernel, table.rows()[i], table.rows()[0]))
          << name(kernel);
    }
  }
}

TEST(Known, AMissingNumberIsAColumnLeftOut) {
  const std::vector<float> x = {0.5F, 1.0F, kMissing, 2.0F}, z = {1.5F, kMissing, 3.0F, 2.5F};
  const std::vector<float> known_x = {0.5F, 2.0F}, known_z = {1.5F, 2.5F};
  for (const Kernel& kernel : kKernels) {
    EXPECT_EQ(evaluate_known(kernel, x, z), evaluate(kernel, known_x, known_z)) << name(kernel);
  }
  const std::vector<float> nothing(4, kMissing);
  EXPECT_EQ(evaluate_known(Gaussian{1.0}, nothing, x), 1.0);
}

TEST(Known, TermsAddUpToTheSum) {
  const std::vector<float> x = {0.5F, 1.0F, kMissing}, z = {1.5F, 4.0F, 3.0F};
  std::vector<double> terms(3);
  EXPECT_EQ(known_terms(Gaussian{1.0}, x, z, terms), 10.0);
  EXPECT_EQ(terms, (std::vector<double>{1, 9, 0}));
  EXPECT_EQ(known_terms(Laplacian{1.0}, x, z, terms), 4.0);
  EXPECT_EQ(terms, (std::vector<double>{1, 3, 0}));
}

TEST(Known, MatrixOnAPoolIsTheSame) {
  const Table table = normal_table(50, 3, 2);
  Pool pool(3);
  const std::vector<float> matrix = known_matrix(Gaussian{1.0}, table.rows());
  EXPECT_EQ(matrix, known_matrix(Gaussian{1.0}, table.rows(), &pool));
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 50; ++j) {
      EXPECT_EQ(matrix[i * 50 + j], static_cast<float>(evaluate(Gaussian{1.0}, table.rows()[i], table.rows()[j])));
    }
  }
}

}  // namespace
}  // namespace expose

#include "expose/score/bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 2 exp(-n eps^2 / (8 c^2)), c = 1
TEST(EmbeddingError, IsThePapersBound) {
  EXPECT_DOUBLE_EQ(embedding_error_probability(800, 0.3), 2 * std::exp(-9.0));
  EXPECT_DOUBLE_EQ(embedding_error_probability(8, 1.0), 2 / std::exp(1.0));
  EXPECT_EQ(embedding_error_probability(8, 0.5), 1.0);  // 2 exp(-1/4) says nothing
  EXPECT_EQ(embedding_error_probability(0, 5), 1.0);
  EXPECT_EQ(embedding_error_probability(100, 0), 1.0);
  EXPECT_EQ(embedding_error_probability(1e12, 1), 0.0);
}

TEST(EmbeddingError, BoundAndProbabilityAreInverse) {
  for (const double n : {1.0, 57.5, 1e6}) {
    for (const double probability : {1e-12, 0.01, 0.5, 0.999}) {
      EXPECT_NEAR(embedding_error_probability(n, embedding_error_bound(n, probability)), probability,
                  1e-12 * probability + 1e-15);
    }
  }
  EXPECT_DOUBLE_EQ(embedding_error_bound(800, 2 * std::exp(-9.0)), 0.3);
  EXPECT_EQ(embedding_error_bound(0, 0.5), kInfinity);
}

TEST(EmbeddingError, RefusesBadInput) {
  EXPECT_EQ(complaint([] { embedding_error_probability(-1, 0.1); }),
            "invalid_argument: the number of rows is -1; it must be finite and >= 0");
  EXPECT_EQ(complaint([] { embedding_error_bound(kInfinity, 0.1); }),
            "invalid_argument: the number of rows is inf; it must be finite and >= 0");
  EXPECT_EQ(complaint([] { embedding_error_bound(std::nan(""), 0.1); }),
            "invalid_argument: the number of rows is nan; it must be finite and >= 0");
  EXPECT_EQ(complaint([] { embedding_error_probability(5, -0.1); }),
            "invalid_argument: eps is -0.1; it must be finite and >= 0");
  EXPECT_EQ(complaint([] { embedding_error_probability(5, std::nan("")); }),
            "invalid_argument: eps is nan; it must be finite and >= 0");
  EXPECT_EQ(complaint([] { embedding_error_bound(5, 0); }),
            "invalid_argument: the probability is 0; it must be in (0, 1]");
  EXPECT_EQ(complaint([] { embedding_error_bound(5, 1.5); }),
            "invalid_argument: the probability is 1.5; it must be in (0, 1]");
  EXPECT_EQ(complaint([] { embedding_error_bound(5, std::nan("")); }),
            "invalid_argument: the probability is nan; it must be in (0, 1]");
}

}  // namespace
}  // namespace expose

// Trust against what it promises: the order of normal rows by the exact kernel.
#include "expose/score/trust.hpp"

#include <gtest/gtest.h>

#include "expose/base/pool.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

Trust trust_of(MapKind kind, std::size_t r) {
  const Similarity model(learned(make_map(recipe_of(kind, 6, r)), normal_table(300, 6, 1).rows()));
  return trust(model, normal_table(200, 6, 2).rows());
}

TEST(Trust, FewFrequenciesAreNotEnoughAndManyAre) {
  for (const MapKind kind : {MapKind::fourier, MapKind::sorf}) {
    const Trust few = trust_of(kind, 32), many = trust_of(kind, 4096);
    EXPECT_FALSE(few.enough) << name(kind);
    EXPECT_GT(few.noise, kNoiseShare * few.spread);
    EXPECT_GT(few.r_needed, 32U);
    EXPECT_TRUE(many.enough) << name(kind);
    EXPECT_LE(many.noise, kNoiseShare * many.spread);
    EXPECT_EQ(many.r_needed, 4096U);
  }
}

// Twice the r that was called needed must do; noise falls with 1 / sqrt(r).
TEST(Trust, WhatItNeedsIsEnough) {
  const Trust few = trust_of(MapKind::fourier, 32);
  EXPECT_TRUE(trust_of(MapKind::fourier, 2 * few.r_needed).enough) << few.r_needed;
  EXPECT_FALSE(trust_of(MapKind::fourier, few.r_needed / 4).enough) << few.r_needed;
  EXPECT_NEAR(trust_of(MapKind::fourier, 128).noise / trust_of(MapKind::fourier, 2048).noise, 4.0, 0.8);
}

TEST(Trust, NystromHasNoNoise) {
  const Trust found = trust_of(MapKind::nystrom, 20);
  EXPECT_EQ(found.noise, 0.0);
  EXPECT_TRUE(found.enough);
  EXPECT_EQ(found.r_needed, 20U);
}

TEST(Trust, NothingToOrderIsEnough) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 6, 32));
  const Similarity model(learned(map, normal_table(10, 6, 1).rows()));
  EXPECT_TRUE(trust(model, normal_table(1, 6, 1).rows()).enough);
  const Table same{std::vector<float>(60, 0.5F), 6};
  EXPECT_TRUE(trust(model, same.rows()).enough);
}

TEST(Trust, PoolDecidesNoBit) {
  const Similarity model(learned(make_map(recipe_of(MapKind::fourier, 6, 64)), normal_table(100, 6, 1).rows()));
  Pool pool(3);
  EXPECT_EQ(trust(model, normal_table(99, 6, 2).rows()), trust(model, normal_table(99, 6, 2).rows(), &pool));
}

}  // namespace
}  // namespace expose

#include "expose/score/many.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "expose/base/hash.hpp"
#include "expose/score/similarity.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

class ManyModelsOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(ManyModelsOf);

TEST_P(ManyModelsOf, JudgeAsEachModelWould) {
  const Table table = normal_table(100, kD, 1);
  ManyModels many(map());
  std::vector<Similarity> each;
  for (std::size_t m = 0; m < 10; ++m) {
    const MeanMap mean = learned(map(), table.rows().slice(m * 10, m * 10 + 10));
    each.emplace_back(mean);
    EXPECT_EQ(many.add(mean), m);
  }
  FadingMean fading(map(), Fading{0.1});
  fading.learn(table.rows());
  each.emplace_back(fading);
  EXPECT_EQ(many.add(fading), 10U);
  EXPECT_EQ(many.size(), 11U);

  const std::vector<double> all = many.similarity(table.rows());
  ASSERT_EQ(all.size(), 100U * 11U);
  for (std::size_t i = 0; i < table.n(); ++i) {
    const std::vector<double> eta = many.similarity(table.rows()[i]);
    ASSERT_EQ(eta.size(), 11U);
    for (std::size_t m = 0; m < 11; ++m) {
      EXPECT_EQ(eta[m], all[i * 11 + m]) << "row " << i << ", model " << m;
      EXPECT_NEAR(eta[m], each[m].of(table.rows().slice(i, i + 1))[0], 1e-5) << "row " << i << ", model " << m;
    }
  }
}

TEST_P(ManyModelsOf, ReplaceOneAndLeaveTheOthers) {
  const Table table = normal_table(40, kD, 2);
  const MeanMap a = learned(map(), table.rows().slice(0, 20));
  const MeanMap b = learned(map(), table.rows().slice(20, 40));
  FadingMean c(map(), Fading{0.5});
  c.learn(table.rows());
  ManyModels many(map());
  many.add(a);
  many.add(a);
  many.add(a);
  const std::vector<double> before = many.similarity(table.rows()[0]);
  many.replace(1, b);
  many.replace(2, c);
  ManyModels fresh(map());
  fresh.add(a);
  fresh.add(b);
  fresh.add(c);
  EXPECT_EQ(many.similarity(table.rows()), fresh.similarity(table.rows()));
  EXPECT_EQ(many.similarity(table.rows()[0])[0], before[0]);
  EXPECT_NE(many.similarity(table.rows()[0])[1], before[1]);
}

TEST_P(ManyModelsOf, NoModelsGiveNoSimilarities) {
  const Table table = normal_table(4, kD, 3);
  ManyModels many(map());
  EXPECT_EQ(many.size(), 0U);
  EXPECT_TRUE(many.similarity(table.rows()).empty());
  many.add(MeanMap(map()));  // an empty model is like nothing
  EXPECT_EQ(many.similarity(table.rows()), std::vector<double>(4, 0.0));
}

TEST(ManyModels, RefuseBadInput) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8));
  const SharedMap other = make_map(recipe_of(MapKind::fourier, 2, 8, 99));
  const Table table = normal_table(3, 2, 4);
  const MeanMap mean = learned(map, table.rows());
  ManyModels many(map);
  many.add(mean);
  const std::vector<double> before = many.similarity(table.rows());
  const std::string sentence = "incompatible: these belong to different maps: one has fingerprint " +
                               hex(map->fingerprint()) + ", the other " + hex(other->fingerprint());
  EXPECT_EQ(complaint([] { ManyModels(nullptr); }),
            "invalid_argument: many models need a feature map, not a null pointer");
  EXPECT_EQ(complaint([&] { many.add(MeanMap(other)); }), sentence);
  EXPECT_EQ(complaint([&] { many.replace(0, FadingMean(other, Fading{0.1})); }), sentence);
  EXPECT_EQ(complaint([&] { many.replace(1, mean); }),
            "not_found: there is no model 1 to replace among 1, counted from 0");
  EXPECT_EQ(complaint([&] { many.similarity(normal_table(1, 3, 5).rows()[0]); }),
            "shape_mismatch: rows have 3 columns, the map takes 2");
  const std::vector<float> bad = {1.0F, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(complaint([&] { many.similarity(bad); }), "not_finite: row 1, column 2 is nan");
  EXPECT_EQ(many.size(), 1U);
  EXPECT_EQ(many.similarity(table.rows()), before);
}

}  // namespace
}  // namespace expose

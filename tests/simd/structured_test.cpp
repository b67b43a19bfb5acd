#include "expose/simd/structured.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>
#include <vector>

#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose::simd {
namespace {

TEST(HadamardPasses, CutTheStagesEvenlyLargestFirst) {
  EXPECT_EQ(hadamard_passes(16), (std::vector<Pass>{{16, 1}}));
  EXPECT_EQ(hadamard_passes(32), (std::vector<Pass>{{8, 1}, {4, 8}}));
  EXPECT_EQ(hadamard_passes(128), (std::vector<Pass>{{16, 1}, {8, 16}}));
  EXPECT_EQ(hadamard_passes(1024), (std::vector<Pass>{{16, 1}, {8, 16}, {8, 128}}));
  EXPECT_EQ(hadamard_passes(8192), (std::vector<Pass>{{16, 1}, {8, 16}, {8, 128}, {8, 1024}}));
}

// A map with random signs (and gains, permutations), scales for phases of a few turns, and every slot of `blocks`
// blocks in use.
Structured structured_of(std::size_t d, std::size_t blocks, bool fastfood) {
  Structured map;
  Random random(11, 0);
  map.d = d;
  map.D = std::max<std::size_t>(16, std::bit_ceil(d));
  map.blocks = blocks;
  map.groups = (blocks + kLanes - 1) / kLanes;
  map.reach = 1e6F;
  map.passes = hadamard_passes(map.D);
  map.flips = fastfood ? 1 : 3;
  map.signs.resize(map.slots() * map.flips);
  for (float& sign : map.signs) sign = random.bits() % 2 == 0 ? 1.0F : -1.0F;
  map.scale.resize(map.slots());
  const double length = std::pow(static_cast<double>(map.D), fastfood ? 1.0 : 1.5);
  for (float& scale : map.scale) scale = static_cast<float>((0.5 + random.uniform()) / length);
  for (std::size_t s = 0; fastfood && s < map.slots(); ++s) {
    map.gains.push_back(static_cast<float>(random.normal()));
    map.permutation.push_back(static_cast<std::uint32_t>((s / kLanes * 5 + s % kLanes) % map.D));  // 5 is odd
  }
  for (std::size_t s = 0; s < map.slots(); ++s) {
    if (s / (map.D * kLanes) * kLanes + s % kLanes < blocks) map.slot.push_back(static_cast<std::uint32_t>(s));
  }
  map.r = map.slot.size();
  return map;
}

// y_i = sum_k (-1)^popcount(i and k) x_k: the definition of the Hadamard matrix.
std::vector<double> hadamard(const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) y[i] += std::popcount(i & k) % 2 == 0 ? x[k] : -x[k];
  }
  return y;
}

// The phases of one block in turns, the obvious way.
std::vector<double> phases(const Structured& map, std::span<const float> x, std::size_t block) {
  const std::size_t group = block / kLanes, lane = block % kLanes;
  std::vector<double> v(map.D, 0.0);
  std::copy(x.begin(), x.end(), v.begin());
  const auto at = [&](std::size_t i) { return (group * map.D + i) * kLanes + lane; };
  for (std::size_t flip = 0; flip < map.flips; ++flip) {
    for (std::size_t i = 0; i < map.D; ++i) {
      v[i] *= static_cast<double>(map.signs[((group * map.flips + flip) * map.D + i) * kLanes + lane]);
    }
    v = hadamard(v);
  }
  if (!map.gains.empty()) {
    std::vector<double> mixed(map.D);
    for (std::size_t i = 0; i < map.D; ++i)
      mixed[i] = v[map.permutation[at(i)]] * static_cast<double>(map.gains[at(i)]);
    v = hadamard(mixed);
  }
  for (std::size_t i = 0; i < map.D; ++i) v[i] *= static_cast<double>(map.scale[at(i)]);
  return v;
}

using Shape = std::tuple<std::size_t, std::size_t, bool>;  // d, blocks, fastfood

class StructuredLoops : public testing::TestWithParam<Shape> {};

TEST_P(StructuredLoops, FeaturesAreTheCircleOfTheTransform) {
  const auto [d, blocks, fastfood] = GetParam();
  const Structured map = structured_of(d, blocks, fastfood);
  const Table x = normal_table(2, d, 1);
  std::vector<float> features(x.n() * 2 * map.r);
  project(map, x.rows(), features.data());
  for (std::size_t i = 0; i < x.n(); ++i) {
    std::vector<std::vector<double>> p;
    for (std::size_t block = 0; block < blocks; ++block) p.push_back(phases(map, x.rows()[i], block));
    for (std::size_t j = 0; j < map.r; ++j) {
      const std::size_t slot = map.slot[j];
      const double turns = p[slot / (map.D * kLanes) * kLanes + slot % kLanes][slot / kLanes % map.D];
      ASSERT_NEAR(features[i * 2 * map.r + j], std::cos(2 * std::numbers::pi * turns), 3e-5);
      ASSERT_NEAR(features[i * 2 * map.r + map.r + j], std::sin(2 * std::numbers::pi * turns), 3e-5);
    }
  }
}

TEST_P(StructuredLoops, SumsAreTheSumsOfTheFeaturesExactly) {
  const auto [d, blocks, fastfood] = GetParam();
  const Structured map = structured_of(d, blocks, fastfood);
  const Table x = normal_table(9, d, 2);
  std::vector<float> features(x.n() * 2 * map.r);
  project(map, x.rows(), features.data());
  std::vector<std::int64_t> sums(2 * map.r, 5), expected(2 * map.r, 5);
  accumulate(map, x.rows(), sums.data());
  for (std::size_t i = 0; i < features.size(); ++i) {
    expected[i % (2 * map.r)] += static_cast<std::int64_t>(static_cast<double>(features[i]) * 0x1p22);
  }
  EXPECT_EQ(sums, expected);
}

TEST_P(StructuredLoops, SimilarityIsTheWeightedSum) {
  const auto [d, blocks, fastfood] = GetParam();
  const Structured map = structured_of(d, blocks, fastfood);
  const Table x = normal_table(3, d, 3);
  std::vector<float> features(x.n() * 2 * map.r), amplitude(map.slots(), 0.0F), start(map.slots(), 0.0F);
  Random random(4, 0);
  for (const std::uint32_t slot : map.slot) {
    amplitude[slot] = static_cast<float>(random.normal() / static_cast<double>(map.r));
    start[slot] = static_cast<float>(random.uniform() - 0.5);
  }
  project(map, x.rows(), features.data());
  std::vector<double> eta(x.n());
  similarity(map, x.rows(), amplitude.data(), start.data(), eta.data());
  for (std::size_t i = 0; i < x.n(); ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < map.r; ++j) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(start[map.slot[j]]);
      expected += static_cast<double>(amplitude[map.slot[j]]) *
                  (static_cast<double>(features[i * 2 * map.r + j]) * std::cos(turn) -
                   static_cast<double>(features[i * 2 * map.r + map.r + j]) * std::sin(turn));
    }
    ASSERT_NEAR(eta[i], expected, 1e-5);
  }
}

TEST_P(StructuredLoops, EveryTargetAndBlockGivesTheSameBits) {
  const auto [d, blocks, fastfood] = GetParam();
  const Structured map = structured_of(d, blocks, fastfood);
  const Table x = normal_table(d > 1000 ? 2 : 5, d, 5);
  std::vector<float> amplitude(map.slots(), 0.0F), start(map.slots(), 0.3F);
  for (const std::uint32_t slot : map.slot) amplitude[slot] = 0.01F;
  std::vector<std::vector<std::int64_t>> sums;
  std::vector<std::vector<double>> etas;
  on_every_target([&](const std::string&) {
    for (const std::size_t step : {x.n(), std::size_t{1}}) {
      sums.emplace_back(2 * map.r, 0);
      etas.emplace_back(x.n());
      for (std::size_t i = 0; i < x.n(); i += step) {
        const Rows part = x.rows().slice(i, i + step);
        accumulate(map, part, sums.back().data());
        similarity(map, part, amplitude.data(), start.data(), &etas.back()[i]);
      }
    }
  });
  for (std::size_t t = 1; t < sums.size(); ++t) {
    ASSERT_EQ(sums[t], sums[0]);
    ASSERT_EQ(etas[t], etas[0]);
  }
}

// Block sizes 16 to 4096: one, two and three passes; groups whole, in part, and more than one.
INSTANTIATE_TEST_SUITE_P(Shapes, StructuredLoops,
                         testing::Values(Shape{1, 1, false}, Shape{16, 16, false}, Shape{20, 3, false},
                                         Shape{50, 17, false}, Shape{127, 16, false}, Shape{200, 2, false},
                                         Shape{300, 5, false}, Shape{784, 1, false}, Shape{1555, 1, false},
                                         Shape{2592, 1, false}, Shape{3, 2, true}, Shape{16, 33, true},
                                         Shape{100, 4, true}, Shape{784, 1, true}));

TEST(StructuredLoops, MoreRowsThanNarrowSumsHold) {
  const Structured map = structured_of(4, 2, false);
  const Table x = normal_table(2 * kMaxRows + 3, 4, 6);
  std::vector<std::int64_t> whole(2 * map.r, 0), parts(2 * map.r, 0);
  accumulate(map, x.rows(), whole.data());
  for (std::size_t i = 0; i < x.n(); ++i) accumulate(map, x.rows().slice(i, i + 1), parts.data());
  EXPECT_EQ(whole, parts);
}

}  // namespace
}  // namespace expose::simd

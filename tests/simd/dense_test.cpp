#include "expose/simd/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose::simd {
namespace {

constexpr Profile kProfiles[] = {Profile::fourier, Profile::gaussian, Profile::matern32, Profile::matern52,
                                 Profile::laplacian};

// Columns z; kernels of 0.3 |x - z|^2, or 0.3 |x - z|_1, without a centre.
Dense dense_of(Profile profile, const Table& columns) {
  Dense dense;
  dense.profile = profile;
  dense.d = columns.d;
  dense.r = columns.n();
  dense.slots = panel_slots(dense.r);
  dense.reach = 1e6F;
  std::vector<float> packed = columns.values;
  if (profile != Profile::fourier) {
    dense.centre.assign(dense.d, 0.0F);
    dense.gain = profile == Profile::laplacian ? 0.3F : std::sqrt(0.3F);
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = dense.seen(packed[i], i % dense.d);
  }
  dense.panels = pack_panels(packed, dense.r, dense.d);
  return dense;
}

// The feature the obvious way, in double; `sine` picks the second half of fourier.
double feature(Profile profile, std::span<const float> x, std::span<const float> z, bool sine) {
  double product = 0, square = 0, absolute = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(z[k]);
    product += static_cast<double>(x[k]) * static_cast<double>(z[k]);
    square += difference * difference;
    absolute += std::abs(difference);
  }
  const double turns = 2 * std::numbers::pi * product;
  const double t = std::sqrt(0.3 * square);
  switch (profile) {
    case Profile::fourier:
      return sine ? std::sin(turns) : std::cos(turns);
    case Profile::gaussian:
      return std::exp2(-0.3 * square);
    case Profile::matern32:
      return (1 + t) * std::exp(-t);
    case Profile::matern52:
      return (1 + t + t * t / 3) * std::exp(-t);
    case Profile::laplacian:
      return std::exp2(-0.3 * absolute);
  }
  return 0;
}

using Shape = std::tuple<std::size_t, std::size_t, std::size_t>;  // n, d, r

class DenseLoops : public testing::TestWithParam<Shape> {};

TEST_P(DenseLoops, FeaturesAreTheFunctionOfTheProduct) {
  const auto [n, d, r] = GetParam();
  const Table x = normal_table(n, d, 1);
  const Table z = normal_table(r, d, 2);
  for (const Profile profile : kProfiles) {
    const Dense dense = dense_of(profile, z);
    std::vector<float> features(n * dense.features());
    project(dense, x.rows(), features.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < dense.features(); ++j) {
        const double expected = feature(profile, x.rows()[i], z.rows()[j % r], j >= r);
        // A phase of |p| turns has an error of a few |p| 2^-24.
        ASSERT_NEAR(features[i * dense.features() + j], expected, 1e-5 * std::sqrt(static_cast<double>(d)))
            << "profile " << static_cast<int>(profile) << " row " << i << " feature " << j;
      }
    }
  }
}

TEST_P(DenseLoops, SumsAreTheSumsOfTheFeaturesExactly) {
  const auto [n, d, r] = GetParam();
  const Table x = normal_table(n, d, 3);
  for (const Profile profile : kProfiles) {
    const Dense dense = dense_of(profile, normal_table(r, d, 4));
    std::vector<float> features(n * dense.features());
    std::vector<std::int64_t> sums(dense.features(), 7);  // added to, not overwritten
    std::vector<std::int64_t> expected(dense.features(), 7);
    project(dense, x.rows(), features.data());
    accumulate(dense, x.rows(), sums.data());
    for (std::size_t i = 0; i < features.size(); ++i) {
      const double units = static_cast<double>(features[i]) * 0x1p22;
      ASSERT_EQ(units, std::nearbyint(units)) << "not on the grid";
      expected[i % dense.features()] += static_cast<std::int64_t>(units);
    }
    ASSERT_EQ(sums, expected) << "profile " << static_cast<int>(profile);
  }
}

TEST_P(DenseLoops, SimilarityIsTheWeightedSum) {
  const auto [n, d, r] = GetParam();
  const Table x = normal_table(n, d, 5);
  const Table z = normal_table(r, d, 6);
  for (const Profile profile : kProfiles) {
    const Dense dense = dense_of(profile, z);
    std::vector<float> amplitude(dense.slots, 0.0F), start(dense.slots, 0.0F);
    Random random(7, 0);
    for (std::size_t j = 0; j < r; ++j) {
      amplitude[j] = static_cast<float>(random.normal() / static_cast<double>(r));
      start[j] = static_cast<float>(random.uniform() - 0.5);
    }
    std::vector<double> eta(n);
    similarity(dense, x.rows(), amplitude.data(), start.data(), eta.data());
    for (std::size_t i = 0; i < n; ++i) {
      double expected = 0;
      for (std::size_t j = 0; j < r; ++j) {
        const double c = feature(profile, x.rows()[i], z.rows()[j], false);
        const double s = feature(profile, x.rows()[i], z.rows()[j], true);
        const double turn = 2 * std::numbers::pi * static_cast<double>(start[j]);
        const double value = profile == Profile::fourier ? c * std::cos(turn) - s * std::sin(turn) : c;
        expected += static_cast<double>(amplitude[j]) * value;
      }
      ASSERT_NEAR(eta[i], expected, 1e-5 * std::sqrt(static_cast<double>(d)))
          << "profile " << static_cast<int>(profile);
    }
  }
}

// Every target, one row at a time and in blocks: the same bits.
TEST_P(DenseLoops, EveryTargetAndBlockGivesTheSameBits) {
  const auto [n, d, r] = GetParam();
  const Table x = normal_table(n, d, 8);
  for (const Profile profile : kProfiles) {
    const Dense dense = dense_of(profile, normal_table(r, d, 9));
    std::vector<float> amplitude(dense.slots, 0.01F), start(dense.slots, 0.3F);
    std::vector<std::vector<std::int64_t>> sums;
    std::vector<std::vector<double>> etas;
    on_every_target([&](const std::string&) {
      sums.emplace_back(dense.features(), 0);
      etas.emplace_back(n);
      accumulate(dense, x.rows(), sums.back().data());
      similarity(dense, x.rows(), amplitude.data(), start.data(), etas.back().data());
      sums.emplace_back(dense.features(), 0);
      etas.emplace_back(n);
      for (std::size_t i = 0; i < n; ++i) {
        const Rows row = x.rows().slice(i, i + 1);
        accumulate(dense, row, sums.back().data());
        similarity(dense, row, amplitude.data(), start.data(), &etas.back()[i]);
      }
    });
    for (std::size_t t = 1; t < sums.size(); ++t) {
      ASSERT_EQ(sums[t], sums[0]) << "profile " << static_cast<int>(profile);
      ASSERT_EQ(etas[t], etas[0]) << "profile " << static_cast<int>(profile);
    }
  }
}

// Tile heights 1, 4, 6, 12 and their rests; panels whole and not; more rows than int32 sums can hold at once.
INSTANTIATE_TEST_SUITE_P(Shapes, DenseLoops,
                         testing::Values(Shape{1, 1, 1}, Shape{5, 3, 31}, Shape{12, 10, 32}, Shape{29, 7, 33},
                                         Shape{13, 40, 130}, Shape{517, 2, 5}, Shape{3, 700, 20}));

TEST(DenseReach, FarValuesAreHeld) {
  const Table z = normal_table(8, 2, 1);
  for (const Profile profile : kProfiles) {
    Dense dense = dense_of(profile, z);
    dense.reach = 100.0F;
    const Table far{{1e30F, -3e38F}, 2};
    const Table held{{100.0F, -100.0F}, 2};
    std::vector<float> a(dense.features()), b(dense.features());
    project(dense, far.rows(), a.data());
    project(dense, held.rows(), b.data());
    EXPECT_EQ(a, b);
    for (const float value : a) EXPECT_TRUE(std::abs(value) <= 1.0F + 0x1p-20F);
  }
}

}  // namespace
}  // namespace expose::simd

#include "expose/simd/fused.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "expose/base/random.hpp"

namespace expose::simd {
namespace {

void expect_as_libm(float a, float b, float c) {
  const float ours = fused(a, b, c);
  const float theirs = std::fma(a, b, c);
  if (std::isnan(theirs)) {
    EXPECT_TRUE(std::isnan(ours)) << a << " " << b << " " << c;
  } else {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(ours), std::bit_cast<std::uint32_t>(theirs)) << a << " " << b << " " << c;
  }
}

// std::fma is rounded once by the C standard; random bits reach every exponent, subnormals and overflow.
TEST(Fused, EqualsTheInstructionForRandomBits) {
  Random random(1, 0);
  for (int i = 0; i < 200000; ++i) {
    const auto draw = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random.bits())); };
    expect_as_libm(draw(), draw(), draw());
  }
}

TEST(Fused, EqualsTheInstructionForOrdinaryNumbers) {
  Random random(2, 0);
  for (int i = 0; i < 200000; ++i) {
    const auto draw = [&] { return static_cast<float>(random.normal()); };
    expect_as_libm(draw(), draw(), draw());
  }
}

// Sums half way between two floats but for a bit far below: rounding twice, through double, gets these wrong.
TEST(Fused, RoundsOnceWhereRoundingTwiceFails) {
  int twice_wrong = 0;
  for (int e = 24; e < 60; ++e) {
    const float c = 1.0F;
    const float a = 0x1p-24F * (1.0F + std::ldexp(1.0F, -23));
    const float b = 1.0F + std::ldexp(1.0F, -(e % 23 + 1));
    for (const float sign : {1.0F, -1.0F}) {
      expect_as_libm(a, sign * b, c);
      expect_as_libm(sign * 0x1p-12F, 0x1p-12F, 1.0F + std::ldexp(1.0F, -23));
    }
  }
  Random random(3, 0);
  for (int i = 0; i < 200000; ++i) {
    // c odd in its last place, a b = half of that place plus or minus a little
    const float c = std::bit_cast<float>(0x3f800000U | static_cast<std::uint32_t>(random.below(1U << 23)));
    const float a = 0x1p-12F * (1.0F + static_cast<float>(random.below(4)) * 0x1p-23F);
    const float b = 0x1p-12F * (1.0F - static_cast<float>(random.below(4)) * 0x1p-23F);
    expect_as_libm(a, b, c);
    const double twice = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c);
    twice_wrong += static_cast<float>(twice) != std::fma(a, b, c);
  }
  EXPECT_GT(twice_wrong, 0) << "the cases do not tell one rounding from two";
}

TEST(Fused, KeepsInfinityAndZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  expect_as_libm(infinity, 1.0F, 1.0F);
  expect_as_libm(1.0F, 1.0F, -infinity);
  expect_as_libm(3e38F, 3e38F, -infinity);
  expect_as_libm(3e38F, 3e38F, 1.0F);
  expect_as_libm(0.0F, 5.0F, 0.0F);
  expect_as_libm(-2.0F, 3.0F, 6.0F);
}

}  // namespace
}  // namespace expose::simd

#include "expose/simd/asinh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/targets.hpp"

namespace expose::simd {
namespace {

std::vector<float> asinh_of(std::vector<float> values) {
  asinh_in_place(values.data(), values.size());
  return values;
}

// Floats from `low` up to and including `high`, `step` units in the last place apart.
std::vector<float> floats_between(float low, float high, std::uint32_t step) {
  std::vector<float> values;
  for (auto bits = std::bit_cast<std::uint32_t>(low); bits <= std::bit_cast<std::uint32_t>(high); bits += step) {
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

constexpr float kLargest = std::numeric_limits<float>::max();

// Every binade from the subnormals to 3e38, about 5,000 points each.
const std::vector<float>& all_sizes() {
  static const std::vector<float> values = floats_between(0.0F, kLargest, 1621);
  return values;
}

TEST(Asinh, IsAsinhInRelativeTerms) {
  const std::vector<float> results = asinh_of(all_sizes());
  double worst = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double x = static_cast<double>(all_sizes()[i]);
    if (x < 1e-10) {
      ASSERT_EQ(results[i], all_sizes()[i]);  // asinh x = x to far beyond the last place, down to the subnormals
    } else {
      worst = std::max(worst, std::abs(static_cast<double>(results[i]) / std::asinh(x) - 1));
    }
  }
  EXPECT_LT(worst, 2e-7);
}

TEST(Asinh, NeverFalls) {
  // All floats around the joints: where the logarithm takes over, where its exponent changes (2 h = 8/3, 16/3, 32/3),
  // where the root becomes a itself, where it is held.
  const std::vector<float> joints = {0.75F, 1.14583333F, 2.57291667F, 5.28645833F, 4096.0F, 0x1p32F};
  for (const float joint : joints) {
    const std::vector<float> results = asinh_of(floats_between(joint * 0.99F, joint * 1.01F, 1));
    for (std::size_t i = 1; i < results.size(); ++i) ASSERT_GE(results[i], results[i - 1]) << joint << " at " << i;
  }
  const std::vector<float> results = asinh_of(all_sizes());
  for (std::size_t i = 1; i < results.size(); ++i) ASSERT_GE(results[i], results[i - 1]) << all_sizes()[i];
}

TEST(Asinh, IsOdd) {
  std::vector<float> mirrored = all_sizes();
  for (float& value : mirrored) value = -value;
  mirrored = asinh_of(mirrored);
  const std::vector<float> results = asinh_of(all_sizes());
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(mirrored[i]), std::bit_cast<std::uint32_t>(-results[i])) << all_sizes()[i];
  }
}

TEST(Asinh, HasTheSameBitsOnEveryTarget) {
  // Denser where all the work is: fused multiply-add is slow where it is emulated.
  std::vector<float> values = floats_between(0.0F, kLargest, 40009);
  const std::vector<float> middle = floats_between(0.01F, 100.0F, 1009);
  values.insert(values.end(), middle.begin(), middle.end());
  const std::vector<float> expected = asinh_of(values);
  on_every_target([&](const std::string& target) { EXPECT_EQ(asinh_of(values), expected) << target; });
}

TEST(Asinh, DoesNotDependOnThePlaceInTheArray) {
  const std::vector<float> values = {0.1F, -0.7F, 0.8F, 3.0F,  -1e-30F, 1e30F, 12.5F, 0.75F, -2.0F, 1.0F,  0.3F, 77.0F,
                                     5e9F, -0.2F, 6.0F, -9.0F, 0.4F,    1.5F,  42.0F, -0.9F, 8.0F,  1e-3F, 2.5F, -0.6F};
  on_every_target([&](const std::string& target) {
    const std::vector<float> expected = asinh_of(values);
    for (std::size_t begin = 0; begin < values.size(); ++begin) {
      for (std::size_t end = begin; end <= values.size(); ++end) {
        std::vector<float> part = values;
        asinh_in_place(part.data() + begin, end - begin);
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(part[i], i >= begin && i < end ? expected[i] : values[i]) << target << " " << begin << " " << end;
        }
      }
    }
  });
}

TEST(Asinh, KeepsNaNAndMakesInfinityFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  on_every_target([&](const std::string& target) {
    const std::vector<float> results = asinh_of({std::nanf(""), infinity, -infinity, -0.0F});
    EXPECT_TRUE(std::isnan(results[0])) << target;
    EXPECT_FLOAT_EQ(results[1], 89.415986F) << target;
    EXPECT_EQ(results[2], -results[1]) << target;
    EXPECT_TRUE(results[3] == 0 && std::signbit(results[3])) << target;
  });
}

}  // namespace
}  // namespace expose::simd

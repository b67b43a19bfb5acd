// fused(a, b, c) = a b + c with one rounding, for CPUs that lack the instruction. The same bits, slowly.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace expose::simd {

// The product is exact in double. The sum is rounded to odd (an inexact result gets its last bit set), after which the
// rounding to float is the rounding of the exact value (Boldo & Melquiond 2008: 53 >= 24 + 2 bits).
inline float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = c;
  double sum = product + addend;
  if (!std::isfinite(sum)) return static_cast<float>(sum);
  // Knuth's two-sum: product + addend = sum + rest, exactly.
  const double part = sum - product;
  const double rest = (product - (sum - part)) + (addend - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (rest != 0 && (bits & 1) == 0) {
    const bool outward = (rest > 0) == (sum > 0);
    sum = std::bit_cast<double>(outward ? bits + 1 : bits - 1);
  }
  return static_cast<float>(sum);
}

}  // namespace expose::simd

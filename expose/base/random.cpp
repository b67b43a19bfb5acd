#include "expose/base/random.hpp"

#include <cmath>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/math.hpp"

namespace expose {
namespace {

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
constexpr std::uint64_t joined(std::uint32_t lower, std::uint32_t upper) { return std::uint64_t{upper} << 32 | lower; }

// Gamma(shape, 1) for shape >= 1: G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables",
// ACM TOMS 26 (2000). With d = shape - 1/3, c = 1 / sqrt(9 d), x normal, v = (1 + c x)^3, u uniform:
//   d v is Gamma(shape, 1) if v > 0 and log u < x^2 / 2 + d - d v + d log v.
double gamma(Random& random, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = random.normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    const double u = random.uniform();
    if (portable::log(u) < 0.5 * x * x + d - d * v + d * portable::log(v)) return d * v;
  }
}

}  // namespace

// One round: (c0, c1, c2, c3) -> (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0)).
// Multipliers and steps of the key (fractions of the golden ratio and of sqrt(3)) are those of the paper.
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kKeyStep0 = 0x9E3779B9;
  constexpr std::uint32_t kKeyStep1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1), high(product0) ^ counter[3] ^ key[1],
               low(product0)};
    key = {key[0] + kKeyStep0, key[1] + kKeyStep1};
  }
  return counter;
}

std::uint64_t Random::bits() {
  if (has_second_half_) {
    has_second_half_ = false;
    return second_half_;
  }
  const auto block =
      philox4x32_10({low(position_), high(position_), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
  ++position_;
  second_half_ = joined(block[2], block[3]);
  has_second_half_ = true;
  return joined(block[0], block[1]);
}

double Random::uniform() {
  // 52 bits and a half: k + 1/2 with k < 2^52 is exact in a double; with 53 bits the largest would round to 1.
  return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
}

std::uint64_t Random::below(std::uint64_t n) {
  if (n == 0) throw Error(Code::invalid_argument, "a draw below 0 does not exist, the bound must be at least 1");
  // The first 2^64 mod n values are refused: n divides the number of those that remain.
  const std::uint64_t refused = (0 - n) % n;
  std::uint64_t draw = bits();
  while (draw < refused) draw = bits();
  return draw % n;
}

// Box-Muller: with u, t uniform, sqrt(-2 log u) (cos 2 pi t, sin 2 pi t) is a pair of independent normals.
double Random::normal() {
  if (has_second_normal_) {
    has_second_normal_ = false;
    return second_normal_;
  }
  const double radius = std::sqrt(-2.0 * portable::log(uniform()));
  const double turn = uniform();
  second_normal_ = radius * portable::sin_turns(turn);
  has_second_normal_ = true;
  return radius * portable::cos_turns(turn);
}

// chi^2 = 2 Gamma(dof / 2). For a shape a < 1, Gamma(a) = Gamma(a + 1) u^(1 / a); the square root of the power is
// taken in its exponent, u^(1 / dof), where it does not underflow as early.
double Random::chi(double dof) {
  if (!std::isfinite(dof) || dof <= 0.0) {
    throw Error(Code::invalid_argument,
                "degrees of freedom are " + std::to_string(dof) + ", they must be finite and > 0");
  }
  const double shape = 0.5 * dof;
  if (shape >= 1.0) return std::sqrt(2.0 * gamma(*this, shape));
  const double above = std::sqrt(2.0 * gamma(*this, shape + 1.0));
  return above * portable::exp(portable::log(uniform()) / dof);
}

double Random::cauchy() { return portable::tan_turns(0.5 * (uniform() - 0.5)); }

double Random::student(double dof) {
  // Two statements: the order of the draws is part of the stream, the order of operands is up to the compiler.
  const double length = chi(dof);
  return normal() * std::sqrt(dof) / length;
}

}  // namespace expose

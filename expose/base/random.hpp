// Random: a stream of draws that is the same on every machine, from the counter-based generator Philox4x32-10.
//
// Law 2 rests on it: a random map is its seed. Nothing here may change a bit of a released stream; the tests pin the
// first draws. Key = seed, counter = (position, stream): draws of different seeds or streams are independent.
// A plain value with a position. A copy repeats what the original will draw. One thread at a time.
#pragma once

#include <array>
#include <cstdint>

namespace expose {

// J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011: 128 random bits from counter and key.
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  // 64 random bits.
  std::uint64_t bits();

  // Uniform in the open interval (0, 1): the odd multiples of 2^-53, so u and 1 - u are equally likely.
  double uniform();

  // Uniform in 0 .. n-1, without bias. Throws Code::invalid_argument for n = 0.
  std::uint64_t below(std::uint64_t n);

  // Standard normal, at most 8.6 away from 0 (the square root of -2 log 2^-53).
  double normal();

  // The length of a vector of dof standard normals, for any real dof.
  // Throws (this and student) Code::invalid_argument unless dof is finite and > 0.
  double chi(double dof);

  // Standard Cauchy: the ratio of two normals.
  double cauchy();

  // Student's t with dof degrees of freedom.
  double student(double dof);

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;     // of the next Philox block
  std::uint64_t second_half_ = 0;  // of the last Philox block, if has_second_half_
  double second_normal_ = 0.0;     // of the last Box-Muller pair, if has_second_normal_
  bool has_second_half_ = false;
  bool has_second_normal_ = false;
};

}  // namespace expose

// Kernels k(x, z): how alike two rows are, 1 for equal rows, falling to 0 with their distance.
//
// Each kernel is a value with its bandwidth, in units of the rows (0: still to be chosen; a plan does that, a map
// refuses it). All are translation invariant, so each has a spectral measure (Bochner): random frequencies w with
// k(x, z) = E[exp(i <w, x - z>)].
// Immutable values; threads may share them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "expose/base/api.hpp"

namespace expose {

class Random;

struct Gaussian {  // exp(-|x - z|^2 / (2 s^2))
  double bandwidth = 0.0;
  bool operator==(const Gaussian&) const = default;
};
struct Laplacian {  // exp(-|x - z|_1 / s), the L1 norm
  double bandwidth = 0.0;
  bool operator==(const Laplacian&) const = default;
};
struct Matern32 {  // (1 + t) exp(-t), t = sqrt(3) |x - z| / s
  double bandwidth = 0.0;
  bool operator==(const Matern32&) const = default;
};
struct Matern52 {  // (1 + t + t^2 / 3) exp(-t), t = sqrt(5) |x - z| / s
  double bandwidth = 0.0;
  bool operator==(const Matern52&) const = default;
};

using Kernel = std::variant<Gaussian, Laplacian, Matern32, Matern52>;

// "gaussian", "laplacian", "matern32", "matern52"
EXPOSE_API std::string name(const Kernel& kernel);
// The kernel of that name; throws Code::invalid_argument, naming the four, for any other.
EXPOSE_API Kernel kernel_named(const std::string& name, double bandwidth);

EXPOSE_API double bandwidth(const Kernel& kernel);
// What a bandwidth may be: beyond this 1 / s^2 leaves the range of floats, which rows are.
inline constexpr double kSmallestBandwidth = 1e-15;
inline constexpr double kLargestBandwidth = 1e15;
// Throws Code::invalid_argument for another.
EXPOSE_API void require_valid(const Kernel& kernel);

// k(x, z) in double precision: the slow obvious version. REQUIRES: x.size() == z.size()
EXPOSE_API double evaluate(const Kernel& kernel, std::span<const float> x, std::span<const float> z);

// The same from what the columns sum up to, for those who leave columns out: sum_k (x_k - z_k)^2, for the Laplacian
// sum_k |x_k - z_k|.
double evaluate_at(const Kernel& kernel, double sum);

// Whether k depends on |x - z|_2 alone: what structured maps (sorf, fastfood) need.
EXPOSE_API bool rotation_invariant(const Kernel& kernel);

// One frequency from the spectral measure, in radians per unit of x.
void draw_frequency(const Kernel& kernel, Random& random, std::span<double> frequency);

// The length |w| of a frequency from the spectral measure in `dimension` dimensions.
// REQUIRES: rotation_invariant(kernel)
double draw_frequency_norm(const Kernel& kernel, Random& random, std::size_t dimension);

}  // namespace expose

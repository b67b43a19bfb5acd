#include "expose/map/kernel.hpp"

#include <cmath>

#include "expose/base/error.hpp"
#include "expose/base/math.hpp"
#include "expose/base/random.hpp"
#include "expose/base/text.hpp"

namespace expose {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 needs to be told

double square_distance(std::span<const float> x, std::span<const float> z) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(z[k]);
    sum += difference * difference;
  }
  return sum;
}

double absolute_distance(std::span<const float> x, std::span<const float> z) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += std::abs(static_cast<double>(x[k]) - static_cast<double>(z[k]));
  return sum;
}

// The spectral measure of a Matern kernel of smoothness nu is Student's t with 2 nu degrees of freedom: a Gaussian
// whose length is stretched by this factor, drawn once a frequency. 1 for the Gaussian itself.
double draw_stretch(const Kernel& kernel, Random& random) {
  return std::visit(
      Overloaded{[](const auto&) { return 1.0; }, [&](const Matern32&) { return std::sqrt(3.0) / random.chi(3.0); },
                 [&](const Matern52&) { return std::sqrt(5.0) / random.chi(5.0); }},
      kernel);
}

}  // namespace

std::string name(const Kernel& kernel) {
  return std::visit(Overloaded{[](const Gaussian&) { return "gaussian"; }, [](const Laplacian&) { return "laplacian"; },
                               [](const Matern32&) { return "matern32"; }, [](const Matern52&) { return "matern52"; }},
                    kernel);
}

Kernel kernel_named(const std::string& name, double bandwidth) {
  for (const Kernel& kernel : {Kernel(Gaussian{bandwidth}), Kernel(Laplacian{bandwidth}), Kernel(Matern32{bandwidth}),
                               Kernel(Matern52{bandwidth})}) {
    if (expose::name(kernel) == name) return kernel;
  }
  throw Error(Code::invalid_argument,
              "there is no kernel '" + name + "'; it may be gaussian, laplacian, matern32 or matern52");
}

double bandwidth(const Kernel& kernel) {
  return std::visit([](const auto& k) { return k.bandwidth; }, kernel);
}

void require_valid(const Kernel& kernel) {
  const double s = bandwidth(kernel);
  if (!(s > 0 && std::isfinite(s))) {
    throw Error(Code::invalid_argument, "the bandwidth of a kernel must be a number above 0, it is " + text(s));
  }
  if (s < kSmallestBandwidth || s > kLargestBandwidth) {
    throw Error(Code::invalid_argument,
                "the bandwidth of a kernel must be from 1e-15 to 1e15, it is " + text(s) + "; scale the rows instead");
  }
}

double evaluate_at(const Kernel& kernel, double sum) {
  return std::visit(
      Overloaded{[&](const Gaussian& k) { return portable::exp(-sum / (2.0 * k.bandwidth * k.bandwidth)); },
                 [&](const Laplacian& k) { return portable::exp(-sum / k.bandwidth); },
                 [&](const Matern32& k) {
                   const double t = std::sqrt(3.0 * sum) / k.bandwidth;
                   return (1.0 + t) * portable::exp(-t);
                 },
                 [&](const Matern52& k) {
                   const double t = std::sqrt(5.0 * sum) / k.bandwidth;
                   return (1.0 + t + t * t / 3.0) * portable::exp(-t);
                 }},
      kernel);
}

double evaluate(const Kernel& kernel, std::span<const float> x, std::span<const float> z) {
  return evaluate_at(kernel, rotation_invariant(kernel) ? square_distance(x, z) : absolute_distance(x, z));
}

bool rotation_invariant(const Kernel& kernel) { return !std::holds_alternative<Laplacian>(kernel); }

void draw_frequency(const Kernel& kernel, Random& random, std::span<double> frequency) {
  // The paper prints N(0, s^2); the spectral measure of exp(-|x - z|^2 / (2 s^2)) is N(0, s^-2) (docs/errata.md).
  const double scale = draw_stretch(kernel, random) / bandwidth(kernel);
  const bool cauchy = std::holds_alternative<Laplacian>(kernel);
  for (double& w : frequency) w = scale * (cauchy ? random.cauchy() : random.normal());
}

double draw_frequency_norm(const Kernel& kernel, Random& random, std::size_t dimension) {
  const double scale = draw_stretch(kernel, random) / bandwidth(kernel);
  return scale * random.chi(static_cast<double>(dimension));
}

}  // namespace expose

#include "expose/map/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "expose/base/random.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

std::vector<Kernel> all_kernels(double bandwidth) {
  return {Gaussian{bandwidth}, Laplacian{bandwidth}, Matern32{bandwidth}, Matern52{bandwidth}};
}

TEST(Kernel, IsTheFormula) {
  const std::vector<float> x = {1.0F, 2.0F}, z = {4.0F, -2.0F};  // |x - z| = 5, |x - z|_1 = 7
  EXPECT_NEAR(evaluate(Gaussian{2.0}, x, z), std::exp(-25.0 / 8.0), 1e-15);
  EXPECT_NEAR(evaluate(Laplacian{2.0}, x, z), std::exp(-3.5), 1e-15);
  const double t = std::sqrt(3.0) * 2.5, u = std::sqrt(5.0) * 2.5;
  EXPECT_NEAR(evaluate(Matern32{2.0}, x, z), (1 + t) * std::exp(-t), 1e-15);
  EXPECT_NEAR(evaluate(Matern52{2.0}, x, z), (1 + u + u * u / 3) * std::exp(-u), 1e-15);
}

TEST(Kernel, IsOneForEqualRowsAndSymmetric) {
  const std::vector<float> x = {1.0F, 2.0F, 3.0F}, z = {0.5F, -1.0F, 3.5F};
  for (const Kernel& kernel : all_kernels(0.7)) {
    EXPECT_EQ(evaluate(kernel, x, x), 1.0);
    EXPECT_EQ(evaluate(kernel, x, z), evaluate(kernel, z, x));
  }
}

TEST(Kernel, NamesGoThereAndBack) {
  for (const Kernel& kernel : all_kernels(0.7)) EXPECT_EQ(kernel_named(name(kernel), 0.7), kernel);
  EXPECT_EQ(complaint([] { kernel_named("cosine", 1.0); }),
            "invalid_argument: there is no kernel 'cosine'; it may be gaussian, laplacian, matern32 or matern52");
}

TEST(Kernel, BandwidthMustBePositive) {
  for (const double bad : {0.0, -1.5, std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const Kernel& kernel : all_kernels(bad)) {
      const std::string sentence = complaint([&] { require_valid(kernel); });
      EXPECT_EQ(sentence.find("invalid_argument: the bandwidth of a kernel must be a number above 0, it is "), 0U);
    }
  }
  EXPECT_EQ(complaint([] { require_valid(Gaussian{-1.5}); }),
            "invalid_argument: the bandwidth of a kernel must be a number above 0, it is -1.5");
  EXPECT_EQ(
      complaint([] { require_valid(Gaussian{1e-40}); }),
      "invalid_argument: the bandwidth of a kernel must be from 1e-15 to 1e15, it is 1e-40; scale the rows instead");
  EXPECT_NE(complaint([] { require_valid(Matern32{2e15}); }), "no complaint");
}

// Bochner: E cos <w, x - z> = k(x, z) for frequencies of the spectral measure. 20,000 draws leave an error of at most
// sqrt(1 / 2 / 20000) = 0.005 (one standard deviation); bandwidths other than 1, so that its power shows.
TEST(SpectralMeasure, ReproducesItsKernel) {
  constexpr std::size_t kDraws = 20000;
  const std::vector<double> distances = {0.6, 2.0, 5.0};
  for (const std::size_t d : {1U, 2U, 3U, 10U, 127U, 784U}) {
    for (const Kernel& kernel : all_kernels(3.0)) {
      // In a direction that is no axis, so <w, x> is its length times the mean coordinate; the L1 kernel sees it
      // longer.
      const double step = 1 / std::sqrt(static_cast<double>(d));
      std::vector<double> w(d), sums(distances.size(), 0.0);
      for (std::size_t i = 0; i < kDraws; ++i) {
        Random random(5, i);
        draw_frequency(kernel, random, w);
        const double along = step * std::accumulate(w.begin(), w.end(), 0.0);
        for (std::size_t k = 0; k < distances.size(); ++k) sums[k] += std::cos(along * distances[k]) / kDraws;
      }
      for (std::size_t k = 0; k < distances.size(); ++k) {
        const std::vector<float> x(d, static_cast<float>(distances[k] * step)), origin(d, 0.0F);
        EXPECT_NEAR(sums[k], evaluate(kernel, x, origin), 0.02) << name(kernel) << " d " << d << " at " << distances[k];
      }
    }
  }
}

// Its length alone, with a direction uniform on the sphere: what the structured maps do.
TEST(SpectralMeasure, LengthIsThatOfAFrequency) {
  for (const Kernel& kernel : {Kernel(Gaussian{3.0}), Kernel(Matern32{3.0}), Kernel(Matern52{3.0})}) {
    for (const std::size_t d : {1U, 16U, 784U}) {
      std::vector<double> w(d), drawn, lengths;
      for (std::size_t i = 0; i < 4000; ++i) {
        Random first(6, i), second(7, i);
        draw_frequency(kernel, first, w);
        double square = 0;
        for (const double value : w) square += value * value;
        drawn.push_back(std::sqrt(square));
        lengths.push_back(draw_frequency_norm(kernel, second, d));
      }
      std::sort(drawn.begin(), drawn.end());
      std::sort(lengths.begin(), lengths.end());
      double gap = 0;  // two-sample Kolmogorov-Smirnov: 1.63 sqrt(2 / 4000) = 0.036 at 1 %
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        const auto below = std::upper_bound(drawn.begin(), drawn.end(), lengths[i]) - drawn.begin();
        gap = std::max(gap, std::abs(static_cast<double>(below) - static_cast<double>(i + 1)) / 4000);
      }
      EXPECT_LT(gap, 0.036) << name(kernel) << " d " << d;
    }
  }
}

// Erratum: the paper draws the frequencies of the Gaussian kernel from N(0, s^2); it must be N(0, s^-2).
TEST(Errata, FrequenciesOfAWideGaussianAreSmall) {
  double square = 0;
  std::vector<double> w(1);
  for (std::size_t i = 0; i < 20000; ++i) {
    Random random(8, i);
    draw_frequency(Gaussian{4.0}, random, w);
    square += w[0] * w[0] / 20000;
  }
  EXPECT_NEAR(square, 1.0 / 16, 0.05 / 16);
}

}  // namespace
}  // namespace expose

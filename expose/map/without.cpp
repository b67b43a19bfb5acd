#include "expose/map/without.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "expose/base/math.hpp"
#include "expose/simd/expected.hpp"
#include "expose/simd/without.hpp"

namespace expose {

namespace {

constexpr std::size_t kMostNumbers = std::size_t{1} << 23;  // of each of the two tables

class Shared final : public SimilarityWithout {
 public:
  Shared(const simd::Dense& dense, const Folded& folded, const UnknownFeatures& unknown, double bandwidth)
      : dense_(dense) {
    const std::size_t slots = dense.slots, features = unknown.features + 1;  // the last has no columns: nothing unknown
    without_.features = features;
    without_.group = unknown.group;
    without_.start.assign(slots, 0.0F);
    std::ranges::copy(folded.start, without_.start.begin());
    std::vector<double> exchanged(features * slots, 0.0), decay(features * slots, 0.0);
    for (std::size_t k = 0; k < dense.d; ++k) {
      for (std::size_t j = 0; j < slots; ++j) {
        const std::size_t at = unknown.group[k] * slots + j;
        exchange(unknown, k, dense.panels[(j / simd::kPanel * dense.d + k) * simd::kPanel + j % simd::kPanel],
                 bandwidth, exchanged[at], decay[at]);
      }
    }
    for (std::size_t at = 0; at < exchanged.size(); ++at) {
      without_.exchanged.push_back(static_cast<float>(exchanged[at]));
      without_.amplitude.push_back(static_cast<float>(static_cast<double>(folded.amplitude[at % slots]) *
                                                      portable::exp(-std::numbers::ln2 * decay[at])));
    }
  }

  void of(std::span<const float> row, std::span<double> eta) const override {
    simd::similarity_without(dense_, without_, row, eta.data());
  }

 private:
  // What column k of frequency or landmark z adds to a and to the damping, as a power of two:
  //   fourier   w m and kDecay w^2 v;   gaussian   h (m - z)^2 and -log2(h) / 2, h = 1 / (1 + v / s^2)
  void exchange(const UnknownFeatures& unknown, std::size_t k, float z, double bandwidth, double& a,
                double& decay) const {
    const double column = static_cast<double>(z), v = static_cast<double>(unknown.variance[k]);
    if (dense_.profile == simd::Profile::fourier) {
      a += column * static_cast<double>(std::clamp(unknown.mean[k], -dense_.reach, dense_.reach));
      decay += simd::kDecay * column * column * v;
      return;
    }
    const double widened = 1 + v / (bandwidth * bandwidth);
    const double difference = static_cast<double>(dense_.seen(unknown.mean[k], k)) - column;
    a += difference * difference / widened;
    decay += portable::log(widened) / (2 * std::numbers::ln2);
  }

  const simd::Dense& dense_;
  simd::Without without_;
};

}  // namespace

std::unique_ptr<const SimilarityWithout> share_work(const simd::Dense& dense, const Folded& folded,
                                                    const UnknownFeatures& unknown, double bandwidth) {
  if ((unknown.features + 1) * dense.slots > kMostNumbers) return nullptr;
  return std::make_unique<Shared>(dense, folded, unknown, bandwidth);
}

}  // namespace expose

#include "expose/detector/gate.hpp"

#include <algorithm>

#include "expose/simd/features.hpp"

namespace expose {

Gatekeeper::Gatekeeper(const MeanMap& inner) : map_(inner.shared_map()) {
  const std::vector<double> dual = map_->dual(inner.mean());
  for (const double value : dual) dual_.push_back(static_cast<float>(value));
}

std::vector<double> Gatekeeper::similarity(Rows scaled) const {
  std::vector<double> eta;
  eta.reserve(scaled.n());
  std::vector<float> features;
  constexpr std::size_t kSome = 64;  // rows whose features are in memory at a time
  for (std::size_t begin = 0; begin < scaled.n(); begin += kSome) {
    const Rows some = scaled.slice(begin, std::min(begin + kSome, scaled.n()));
    features.resize(some.n() * map_->size());
    map_->project(some, features);
    const std::vector<double> part = similarity(features);
    eta.insert(eta.end(), part.begin(), part.end());
  }
  return eta;
}

std::vector<double> Gatekeeper::similarity(std::span<const float> features) const {
  std::vector<double> eta(features.size() / map_->size());
  simd::inner_products(features.data(), eta.size(), map_->size(), dual_.data(), eta.data());
  return eta;
}

}  // namespace expose

#include "expose/detector/gate.hpp"

#include "expose/detector/spaced.hpp"
#include "expose/simd/features.hpp"

namespace expose {

namespace {

// Measured on 43 public tables (docs/accuracy.md).
constexpr std::size_t kGateRows = 2000;  // rows the gate is made from: 1,000 were enough
constexpr int kGateRounds = 3;

// The threshold that a share `trim` of these similarities stays below.
double quantile(std::vector<double> eta, double trim) {
  const auto below = static_cast<std::ptrdiff_t>(trim * static_cast<double>(eta.size()));
  std::nth_element(eta.begin(), eta.begin() + below, eta.end());
  return eta[static_cast<std::size_t>(below)];
}

// The rows a gate is made from. They are looked at again and again, so their features are kept, unless they are many.
class GateRows {
 public:
  GateRows(SharedMap map, const std::optional<Unknown>& unknown, Rows rows)
      : map_(std::move(map)), unknown_(unknown), rows_(rows) {
    constexpr std::size_t kMostFloats = std::size_t{1} << 23;  // 32 MiB
    if (rows.n() * map_->size() > kMostFloats) return;
    kept_.resize(rows.n() * map_->size());
    project(*map_, unknown_, rows, kept_);
  }

  MeanMap mean_of(std::span<const char> inner) const {
    MeanMap mean(map_);
    for_features([&](std::span<const float> features, std::size_t begin) {
      mean.add_features(features, inner.subspan(begin, features.size() / map_->size()));
    });
    return mean;
  }

  std::vector<double> similarity_to(const MeanMap& mean) const {
    const Gatekeeper gatekeeper(mean);
    std::vector<double> eta(rows_.n());
    for_features([&](std::span<const float> features, std::size_t begin) {
      std::ranges::copy(gatekeeper.similarity(features), eta.begin() + static_cast<std::ptrdiff_t>(begin));
    });
    return eta;
  }

 private:
  template <class Take>
  void for_features(const Take& take) const {
    if (kept_.empty()) return for_projected(*map_, unknown_, rows_, take);
    take(std::span<const float>(kept_), 0);
  }

  SharedMap map_;
  const std::optional<Unknown>& unknown_;
  Rows rows_;
  std::vector<float> kept_;
};

}  // namespace

std::optional<Gate> make_gate(const SharedMap& map, const std::optional<Unknown>& unknown, Rows sample, double trim) {
  if (trim == 0) return {};
  const std::vector<float> picked = pick(sample, spaced(sample.n(), kGateRows));
  const Rows rows(picked, sample.d());
  const GateRows gate_rows(map, unknown, rows);
  std::vector<char> inner(rows.n(), 1);
  for (int round = 0; round < kGateRounds; ++round) {
    const MeanMap mean = gate_rows.mean_of(inner);
    std::vector<double> eta = gate_rows.similarity_to(mean);
    const double n = mean.weight();
    for (std::size_t i = 0; i < rows.n(); ++i) {  // left out of its own judgement
      if (inner[i] != 0) eta[i] = without_own(eta[i], n, 1.0, own_similarity(*map, unknown, rows[i]));
    }
    const double threshold = quantile(eta, trim);
    for (std::size_t i = 0; i < rows.n(); ++i) inner[i] = eta[i] >= threshold ? 1 : 0;
  }
  Gate gate{gate_rows.mean_of(inner), 0.0};
  gate.threshold = quantile(gate_rows.similarity_to(gate.inner), trim);
  return gate;
}

Gatekeeper::Gatekeeper(const MeanMap& inner, std::optional<Unknown> unknown)
    : map_(inner.shared_map()), unknown_(std::move(unknown)), dual_(dual_in_floats(*map_, inner.mean())) {}

std::vector<double> Gatekeeper::similarity(Rows scaled) const {
  std::vector<double> eta(scaled.n());
  for_projected(*map_, unknown_, scaled, [&](std::span<const float> features, std::size_t begin) {
    std::ranges::copy(similarity(features), eta.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return eta;
}

std::vector<double> Gatekeeper::similarity(std::span<const float> features) const {
  std::vector<double> eta(features.size() / map_->size());
  simd::inner_products(features.data(), eta.size(), map_->size(), dual_.data(), eta.data());
  return eta;
}

}  // namespace expose

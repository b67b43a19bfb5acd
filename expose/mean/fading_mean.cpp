#include "expose/mean/fading_mean.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"

namespace expose {
namespace {

// Rows projected at once: 64 x 4096 features are 1 MiB. No bit depends on it.
constexpr std::size_t kProjectedRows = 64;

}  // namespace

FadingMean::FadingMean(SharedMap map, Fading fading) : map_(std::move(map)), gamma_(fading.gamma) {
  if (map_ == nullptr) throw Error(Code::invalid_argument, "a fading mean needs a feature map, not a null pointer");
  require_valid(fading);
  state_.mean.assign(map_->size(), 0.0);
}

void FadingMean::learn(Rows rows) {
  require_columns(rows, map_->d(), "map");
  require_finite(rows);
  const std::size_t size = map_->size();
  std::vector<float> features(std::min(rows.n(), kProjectedRows) * size);
  for (std::size_t begin = 0; begin < rows.n(); begin += kProjectedRows) {
    const std::size_t end = std::min(rows.n(), begin + kProjectedRows);
    map_->project(rows.slice(begin, end), std::span(features).first((end - begin) * size));
    for (std::size_t i = begin; i < end; ++i) fade_in(features.data() + (i - begin) * size);
  }
}

void FadingMean::learn_features(std::span<const float> features) {
  if (features.size() != map_->size()) {
    throw Error(Code::shape_mismatch, "a row has " + std::to_string(features.size()) + " features, the map gives " +
                                          std::to_string(map_->size()));
  }
  fade_in(features.data());
}

// w_1 = phi(x_1);  w_t = gamma phi(x_t) + (1 - gamma) w_{t-1}.
// The squares of the weights add up to s_1 = 1;  s_t = gamma^2 + (1 - gamma)^2 s_{t-1}.
void FadingMean::fade_in(const float* phi) {
  const double fresh = state_.rows == 0 ? 1.0 : gamma_;
  const double old = 1.0 - fresh;
  for (std::size_t j = 0; j < state_.mean.size(); ++j) state_.mean[j] = fresh * phi[j] + old * state_.mean[j];
  state_.squared_weights = fresh * fresh + old * old * state_.squared_weights;
  ++state_.rows;
}

FadingMean FadingMean::from_state(SharedMap map, Fading fading, State state) {
  FadingMean mean(std::move(map), fading);
  if (state.mean.size() != mean.state_.mean.size()) {
    throw Error(Code::corrupt, "a fading mean has " + std::to_string(state.mean.size()) + " numbers, its map has " +
                                   std::to_string(mean.state_.mean.size()) + " features");
  }
  const bool empty = state.rows == 0;
  const double s = state.squared_weights;
  // Weights that add up to 1 have squares of 1/t to 1, and half is room for the rounding of very long streams.
  if (empty ? s != 0.0 : !(s * static_cast<double>(state.rows) >= 0.5 && s <= 1.0)) {
    throw Error(Code::corrupt, "the squared weights of a fading mean of " + std::to_string(state.rows) +
                                   " rows add up to " + text(s) + "; they must add up to " +
                                   (empty ? "0" : "1/" + std::to_string(state.rows) + " to 1"));
  }
  // Features are at most 1 and so is their mean, but for the rounding of 1 - gamma, which a tiny gamma feels.
  const double bound = empty ? 0.0 : 2.0;
  for (std::size_t j = 0; j < state.mean.size(); ++j) {
    if (std::abs(state.mean[j]) <= bound) continue;
    throw Error(Code::corrupt, "number " + std::to_string(j + 1) + " of a fading mean is " + text(state.mean[j]) +
                                   "; its size can be at most " + text(bound));
  }
  mean.state_ = std::move(state);
  return mean;
}

bool operator==(const FadingMean& a, const FadingMean& b) {
  return a.map_->fingerprint() == b.map_->fingerprint() && a.gamma_ == b.gamma_ && a.state_ == b.state_;
}

}  // namespace expose

#include "expose/calibrate/recent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/calibrate/tail.hpp"

namespace expose {
namespace {

constexpr std::size_t kBins = SurpriseCounts::kBins;
// About the square root of kBins: a rank takes at most so many additions twice.
constexpr std::size_t kBlock = 64;
constexpr std::size_t kBlocks = (kBins + kBlock - 1) / kBlock;
// Where the unit of fading weights changes: far from overflow, and a power of two, so that no bit is lost.
constexpr double kLargestNewest = 0x1p256;

void require_gamma(double gamma, Code code) {
  if (!(gamma >= 0.0 && gamma < 1.0)) throw Error(code, "gamma is " + text(gamma) + "; it must be in [0, 1)");
}

}  // namespace

StreamCalibration::StreamCalibration(double gamma) : gamma_(gamma), blocks_(kBlocks) {
  require_gamma(gamma, Code::invalid_argument);
  state_.weights.assign(kBins, 0.0);
}

// c <- (1 - gamma) c for all bins, then c_bin <- c_bin + 1. In place of all bins the unit shrinks: the new row weighs
// 1 / (1 - gamma) times the one before.
void StreamCalibration::add(double similarity) {
  const std::size_t bin = SurpriseCounts::bin_of(surprise(similarity));
  state_.newest /= 1.0 - gamma_;
  put(bin, state_.newest);
  if (state_.newest < kLargestNewest) return;
  state_.newest /= kLargestNewest;
  for (double& weight : state_.weights) weight /= kLargestNewest;
  for (std::size_t block = 0; block < kBlocks; ++block) refresh(block);
}

void StreamCalibration::subtract(double similarity) {
  const std::size_t bin = SurpriseCounts::bin_of(surprise(similarity));
  if (gamma_ > 0.0) {
    throw Error(Code::invalid_argument, "rows that fade cannot be taken out (gamma is " + text(gamma_) + ")");
  }
  if (state_.weights[bin] < 1.0) {
    throw Error(Code::not_found, "no row with a similarity like " + text(similarity) + " is among the " +
                                     text(weight()) + " rows, it cannot be taken out");
  }
  put(bin, -1.0);
}

void StreamCalibration::put(std::size_t bin, double weight) {
  state_.weights[bin] += weight;
  refresh(bin / kBlock);
}

// Summed anew, not added to: rounding must not depend on more than the state.
void StreamCalibration::refresh(std::size_t block) {
  const auto first = state_.weights.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
  const auto last = state_.weights.begin() + static_cast<std::ptrdiff_t>(std::min((block + 1) * kBlock, kBins));
  blocks_[block] = std::accumulate(first, last, 0.0);
}

double StreamCalibration::weight() const {
  return std::accumulate(blocks_.begin(), blocks_.end(), 0.0) / state_.newest;
}

// In the unit of the state.
double StreamCalibration::weight_from(std::size_t bin) const {
  const std::size_t next = bin / kBlock + 1;
  double sum = 0.0;
  for (std::size_t block = kBlocks; block-- > next;) sum += blocks_[block];
  for (std::size_t b = std::min(next * kBlock, kBins); b-- > bin;) sum += state_.weights[b];
  return sum;
}

double StreamCalibration::p_value(double similarity) const {
  const double s = surprise(similarity);
  const std::size_t bin = SurpriseCounts::bin_of(s);
  const double one = state_.newest;
  const double as_surprising = weight_from(bin);
  const double p = std::min((one + as_surprising) / (one + weight_from(0)), 1.0);
  if (as_surprising >= kHalfARow * one) return p;

  // Seldom in a stream: the row is counted next, and then others like it return above.
  std::size_t end = kBins;
  double above = 0.0;
  while (end > 0 && (above += state_.weights[end - 1]) < kHalfARow * one) --end;
  if (end == 0) return p;
  std::vector<double> rows(state_.weights);
  const double in_rows = 1.0 / one;
  for (double& weight : rows) weight *= in_rows;
  return std::max(p * Tail(rows).decline(SurpriseCounts::edge(end), s), kSmallestPValue);
}

StreamCalibration StreamCalibration::from_state(double gamma, State state) {
  require_gamma(gamma, Code::corrupt);
  const bool fades = gamma > 0.0;
  if (fades ? !(state.newest >= 1.0 && state.newest < kLargestNewest) : state.newest != 1.0) {
    throw Error(Code::corrupt, "the newest row of a stream weighs " + text(state.newest) + "; it must weigh " +
                                   (fades ? "1 to " + text(kLargestNewest) : "1, since nothing fades"));
  }
  if (state.weights.size() != kBins) {
    throw Error(Code::corrupt, "a stream has " + std::to_string(state.weights.size()) +
                                   " weights of surprise, there must be " + std::to_string(kBins));
  }
  double left = static_cast<double>(SurpriseCounts::kMostRows) * state.newest;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double weight = state.weights[bin];
    if (!(weight >= 0.0 && weight <= left) || (!fades && weight != std::floor(weight))) {
      throw Error(Code::corrupt, "weight " + std::to_string(bin + 1) + " of a stream is " + text(weight) +
                                     "; it must be " + (fades ? "" : "a whole number ") + "in 0 to " + text(left));
    }
    left -= weight;
  }
  StreamCalibration result(gamma);
  result.state_ = std::move(state);
  for (std::size_t block = 0; block < kBlocks; ++block) result.refresh(block);
  return result;
}

}  // namespace expose

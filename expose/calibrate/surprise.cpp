#include "expose/calibrate/surprise.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/math.hpp"
#include "expose/base/text.hpp"

namespace expose {
namespace {

void require_count(std::int64_t count) {
  if (count >= 0) return;
  throw Error(Code::invalid_argument, "a count of rows is " + std::to_string(count) + ", it must be at least 0");
}

void require_room(std::int64_t total, std::int64_t more) {
  if (more <= SurpriseCounts::kMostRows - total) return;
  throw Error(Code::overflow, std::to_string(total) + " rows are counted, " + std::to_string(more) +
                                  " more are above the limit of " + std::to_string(SurpriseCounts::kMostRows));
}

void require_there(std::size_t bin, std::int64_t there, std::int64_t wanted) {
  if (wanted <= there) return;
  throw Error(Code::not_found, std::to_string(wanted) + " rows with a surprise of " + text(SurpriseCounts::edge(bin)) +
                                   " to " + text(SurpriseCounts::edge(bin + 1)) + " cannot be taken out, there are " +
                                   std::to_string(there));
}

}  // namespace

double surprise(double similarity) {
  to_surprises({&similarity, 1});
  return similarity;
}

void to_surprises(std::span<double> similarities) {
  for (double& similarity : similarities) {
    if (!std::isfinite(similarity)) {
      throw Error(Code::not_finite, "a similarity is " + text(similarity) + ", it must be finite");
    }
    similarity = std::max(similarity, kSmallestSimilarity);
  }
  portable::log_all(similarities);
  for (double& log : similarities) log = std::max(SurpriseCounts::kLowest, -log);
}

void SurpriseCounts::add_surprise(double s, std::int64_t count) {
  const std::size_t bin = bin_of(s);
  require_count(count);
  require_room(total_, count);
  counts_[bin] += count;
  total_ += count;
}

void SurpriseCounts::subtract(double similarity, std::int64_t count) {
  const std::size_t bin = bin_of(surprise(similarity));
  require_count(count);
  require_there(bin, counts_[bin], count);
  counts_[bin] -= count;
  total_ -= count;
}

SurpriseCounts& SurpriseCounts::operator+=(const SurpriseCounts& other) {
  require_room(total_, other.total_);
  for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] += other.counts_[bin];
  total_ += other.total_;
  return *this;
}

SurpriseCounts& SurpriseCounts::operator-=(const SurpriseCounts& other) {
  for (std::size_t bin = 0; bin < kBins; ++bin) require_there(bin, counts_[bin], other.counts_[bin]);
  const std::int64_t left = total_ - other.total_;  // first: other may be *this
  for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] -= other.counts_[bin];
  total_ = left;
  return *this;
}

SurpriseCounts SurpriseCounts::from_counts(std::span<const std::int64_t> counts) {
  if (counts.size() != kBins) {
    throw Error(Code::corrupt, "there are " + std::to_string(counts.size()) + " counts of surprise, there must be " +
                                   std::to_string(kBins));
  }
  SurpriseCounts result;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    if (counts[bin] < 0 || counts[bin] > kMostRows - result.total_) {
      throw Error(Code::corrupt, "count " + std::to_string(bin + 1) + " of surprise is " + std::to_string(counts[bin]) +
                                     ", it must be in 0 to " + std::to_string(kMostRows - result.total_));
    }
    result.counts_[bin] = counts[bin];
    result.total_ += counts[bin];
  }
  return result;
}

}  // namespace expose

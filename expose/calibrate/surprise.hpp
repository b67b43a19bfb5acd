// surprise: s = -ln eta, how unlike the rest a row is: 0 for a row like all others, large for a far one.
// SurpriseCounts: how many rows fell into each bin of s.
//
// The counts are integers: adding has no order, merging is adding, and taking rows out again leaves what was there
// before. All that is fitted to surprises is fitted to counts in these bins, so law 1 holds for it.
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expose/base/api.hpp"

namespace expose {

// Similarities below this (random features give even negative ones) say only "like nothing" and are taken as equal.
inline constexpr double kSmallestSimilarity = 1e-8;

// s = -ln max(similarity, kSmallestSimilarity), at least -4: between -4 and 18.42068. The similarity of a batch reaches
// 1 and a little over, s = 0; a relative similarity may exceed 1 where rows crowd, and above e^4 makes no difference.
// Throws Code::not_finite for NaN and infinity.
EXPOSE_API double surprise(double similarity);
// The same for many: similarities become surprises.
EXPOSE_API void to_surprises(std::span<double> similarities);

class EXPOSE_API SurpriseCounts {
 public:
  // Bins of width 1/128 from -4 up to the one that holds -ln kSmallestSimilarity. Edges are multiples of 1/128: exact.
  static constexpr double kBinWidth = 1.0 / 128;
  static constexpr double kLowest = -4.0;
  static constexpr std::size_t kBins = 2870;
  // As many as a double can count.
  static constexpr std::int64_t kMostRows = std::int64_t{1} << 53;

  // The bin of s = surprise(...). REQUIRES: kLowest <= s < edge(kBins)
  static std::size_t bin_of(double s) {
    // floor((s - kLowest) / kBinWidth), without a sum that could round s across an edge.
    const double bins = s / kBinWidth;
    auto floor = static_cast<std::int64_t>(bins);  // std::floor is a call into a library on some machines
    floor -= static_cast<double>(floor) > bins ? 1 : 0;
    return static_cast<std::size_t>(floor - static_cast<std::int64_t>(kLowest / kBinWidth));
  }
  // The lower edge of a bin, the upper one of the bin before. REQUIRES: bin <= kBins
  static constexpr double edge(std::size_t bin) { return kLowest + kBinWidth * static_cast<double>(bin); }

  SurpriseCounts() : counts_(kBins) {}

  // One row, or a row that stands for `count` equal ones. Throw Code::not_finite for a bad similarity,
  // Code::invalid_argument for count < 0; add throws Code::overflow beyond kMostRows, subtract Code::not_found if so
  // many rows are not there.
  void add(double similarity, std::int64_t count = 1) { add_surprise(surprise(similarity), count); }
  void subtract(double similarity, std::int64_t count = 1);

  // The same for a similarity whose surprise is known.
  void add_surprise(double s, std::int64_t count = 1);

  // Merge and unmerge; throw as add and subtract do.
  SurpriseCounts& operator+=(const SurpriseCounts& other);
  SurpriseCounts& operator-=(const SurpriseCounts& other);
  friend SurpriseCounts operator+(SurpriseCounts a, const SurpriseCounts& b) { return a += b; }
  friend SurpriseCounts operator-(SurpriseCounts a, const SurpriseCounts& b) { return a -= b; }

  std::int64_t total() const { return total_; }
  // kBins numbers: what a model file stores.
  std::span<const std::int64_t> counts() const { return counts_; }
  // Throws Code::corrupt for numbers that no rows can have led to.
  static SurpriseCounts from_counts(std::span<const std::int64_t> counts);

  friend bool operator==(const SurpriseCounts&, const SurpriseCounts&) = default;

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t total_ = 0;
};

}  // namespace expose

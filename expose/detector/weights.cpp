#include "expose/detector/weights.hpp"

#include <algorithm>
#include <cmath>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"

namespace expose {

void add_units(std::int64_t& sum, std::int64_t more) {
  constexpr std::int64_t kMost = kWeightUnits << 40;
  if (more > kMost - sum) {
    throw Error(Code::overflow, "weight " + text(in_rows(more)) + " does not fit on top of weight " +
                                    text(in_rows(sum)) + ": a model holds at most " + text(in_rows(kMost)));
  }
  sum += more;
}

std::vector<std::int64_t> weight_units(std::span<const double> weights, std::size_t n) {
  if (weights.empty()) return {};
  if (weights.size() != n) {
    throw Error(Code::shape_mismatch,
                "there are " + std::to_string(n) + " rows and " + std::to_string(weights.size()) + " weights");
  }
  constexpr double kMost = 0x1p40;  // what exact sums can hold
  std::vector<std::int64_t> units;
  units.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(weights[i] >= 0 && weights[i] <= kMost)) {
      throw Error(Code::invalid_argument,
                  "weight " + std::to_string(i + 1) + " must be a number from 0 to 2^40, it is " + text(weights[i]));
    }
    units.push_back(std::llround(weights[i] * static_cast<double>(kWeightUnits)));
  }
  return units;
}

SamplingCounts sampling_counts(std::span<const double> weights, std::size_t n) {
  SamplingCounts sampling{weight_units(weights, n), kWeightUnits};
  if (std::ranges::any_of(sampling.counts, [](std::int64_t units) { return units % kWeightUnits != 0; })) {
    return sampling;
  }
  for (std::int64_t& count : sampling.counts) count /= kWeightUnits;
  sampling.per_row = 1;
  return sampling;
}

namespace {

// How many values of row i are missing; -1: one is infinite.
std::ptrdiff_t count_missing(const Records& rows, std::size_t i) {
  std::ptrdiff_t missing = 0;
  for (std::size_t k = 0; k < rows.d(); ++k) {
    if (std::isinf(rows.at(i, k))) return -1;
    missing += std::isnan(rows.at(i, k)) ? 1 : 0;
  }
  return missing;
}

}  // namespace

bool is_good(const Records& rows, std::size_t i, Missing missing) {
  if (rows.slice(i, i + 1).all_finite()) return true;
  if (missing == Missing::reject) return false;
  const std::ptrdiff_t gaps = count_missing(rows, i);
  return gaps >= 0 && gaps < static_cast<std::ptrdiff_t>(rows.d());
}

bool is_unknown(const Records& rows, std::size_t i, Missing missing) {
  return missing == Missing::integrate && count_missing(rows, i) == static_cast<std::ptrdiff_t>(rows.d());
}

}  // namespace expose

// What rows and weights must be before a detector looks at them; one place for learning, planning and judging.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expose/base/records.hpp"
#include "expose/detector/options.hpp"

namespace expose {

// Weights are counted in these: whole weights equal repetition, others are rounded to 1/1024.
inline constexpr std::int64_t kWeightUnits = 1024;
inline double in_rows(std::int64_t units) { return static_cast<double>(units) / static_cast<double>(kWeightUnits); }

// sum += more. Throws Code::overflow, and changes nothing, beyond 2^40 rows: what a model file takes.
void add_units(std::int64_t& sum, std::int64_t more);

// The weights in units of 1/1024; empty stays empty (every weight is 1).
// Throws Code::shape_mismatch unless there are n, Code::invalid_argument for one that is not finite and >= 0.
std::vector<std::int64_t> weight_units(std::span<const double> weights, std::size_t n);

// The same for sampling, where a count is a number of rows: whole weights as they are, if all are whole; else in units.
struct SamplingCounts {
  std::vector<std::int64_t> counts;
  std::int64_t per_row = 1;  // what a weight of 1 counts
};
SamplingCounts sampling_counts(std::span<const double> weights, std::size_t n);

// Whether every value of row i is a finite number; or missing, where missing values are integrated out, but not all.
bool is_good(const Records& rows, std::size_t i, Missing missing);
// Whether row i is good but for one thing: that all its values are missing.
bool is_unknown(const Records& rows, std::size_t i, Missing missing);

// Calls take(begin, end) for every longest run of good rows, in order. Cheap where all are good.
template <class Take>
void for_good_runs(const Records& rows, Missing missing, const Take& take) {
  if (!rows.empty() && rows.all_finite()) return take(0, rows.n());
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= rows.n(); ++i) {
    if (i < rows.n() && is_good(rows, i, missing)) continue;
    if (begin < i) take(begin, i);
    begin = i + 1;
  }
}

}  // namespace expose

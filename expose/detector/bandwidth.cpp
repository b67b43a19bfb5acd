#include "expose/detector/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "expose/detector/spaced.hpp"
#include "expose/simd/pairs.hpp"

namespace expose {

namespace {

// Measured on 43 public tables (docs/accuracy.md).
constexpr double kMedianShare = 0.354;       // bandwidth over median distance
constexpr double kMedianShareL1 = 0.25;      // the same for the L1 kernel
constexpr std::size_t kDistanceRows = 1000;  // rows whose distances are looked at

// E (x_k - z_k)^2 = (x_k - z_k)^2 + the variances of what is missing, with m_k in its place; for the L1 kernel the sum
// of the roots. Of all pairs of rows that differ.
std::vector<double> expected_sums_of_pairs(Rows rows, const Unknown& unknown, bool l1) {
  Filled filled{rows.d()};
  for (std::size_t i = 0; i < rows.n(); ++i) filled.add(unknown, rows[i]);
  const Rows values = filled.rows(), variances = filled.bars();
  std::vector<double> sums;
  sums.reserve(rows.n() * (rows.n() - 1) / 2);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < rows.d(); ++k) {
        const double difference = static_cast<double>(values[i][k]) - static_cast<double>(values[j][k]);
        const double variance = static_cast<double>(variances[i][k]) + static_cast<double>(variances[j][k]);
        const double square = difference * difference + variance;
        sum += l1 ? std::sqrt(square) : square;
      }
      if (sum > 0) sums.push_back(sum);
    }
  }
  return sums;
}

// Of all pairs of rows that differ, a few rows against all behind them at a time.
std::vector<double> sums_of_pairs(Rows rows, bool l1) {
  constexpr std::size_t kFew = simd::kPairRows;
  const std::size_t columns = (rows.d() + 7) / 8 * 8;  // zeros add nothing
  std::vector<double> values(rows.n() * columns), few(columns * kFew), theirs(rows.n() * kFew), sums;
  for (std::size_t i = 0; i < rows.n(); ++i) std::ranges::copy(rows[i], values.data() + i * columns);
  sums.reserve(rows.n() * (rows.n() - 1) / 2);
  for (std::size_t begin = 0; begin < rows.n(); begin += kFew) {
    const std::size_t count = std::min(kFew, rows.n() - begin);
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t k = 0; k < columns; ++k) few[k * kFew + j] = values[(begin + j) * columns + k];
    }
    simd::sums_of_pairs(l1 ? simd::Distance::absolute : simd::Distance::squared, &values[begin * columns],
                        rows.n() - begin, few.data(), columns, theirs.data());
    for (std::size_t i = begin; i < rows.n(); ++i) {
      for (std::size_t j = 0; j < std::min(count, i - begin); ++j) {
        const double sum = theirs[(i - begin) * kFew + j];
        if (sum > 0) sums.push_back(sum);
      }
    }
  }
  return sums;
}

// The upper median of numbers above 0, whose bits are in their order: found first to 1/16, by counting.
double median(const std::vector<double>& values) {
  const auto coarse = [](double value) { return std::bit_cast<std::uint64_t>(value) >> 48; };
  std::vector<std::size_t> counts(std::size_t{1} << 15);
  for (const double value : values) ++counts[coarse(value)];
  std::size_t place = values.size() / 2, bin = 0;
  for (; place >= counts[bin]; ++bin) place -= counts[bin];
  std::vector<double> near;
  near.reserve(counts[bin]);
  std::ranges::copy_if(values, std::back_inserter(near), [&](double value) { return coarse(value) == bin; });
  const auto middle = near.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(near.begin(), middle, near.end());
  return *middle;
}

}  // namespace

double choose_bandwidth(const Kernel& kernel, Rows sample, const Unknown& unknown) {
  const bool l1 = std::holds_alternative<Laplacian>(kernel);
  const std::vector<float> picked = pick(sample, spaced(sample.n(), kDistanceRows));
  const Rows rows(picked, sample.d());
  const std::vector<double> sums =
      any_missing(rows) ? expected_sums_of_pairs(rows, unknown, l1) : sums_of_pairs(rows, l1);
  if (sums.empty()) return 1.0;
  // A root is larger where the number is.
  const double share = l1 ? kMedianShareL1 * median(sums) : kMedianShare * std::sqrt(median(sums));
  return std::clamp(share, kSmallestBandwidth, kLargestBandwidth);
}

}  // namespace expose

#include "expose/scale/scaler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/sort.hpp"
#include "expose/base/text.hpp"
#include "expose/simd/asinh.hpp"
#include "expose/simd/standardise.hpp"
#include "expose/simd/target.hpp"

namespace expose {

namespace {

constexpr std::array<const char*, 3> kNames = {"robust", "zscore", "none"};

constexpr double kNormalMad = 1.4826;      // the sd of a normal distribution is this many times its MAD
constexpr double kLeastOfSd = 0.25;        // for columns with half their mass on one value, whose MAD is 0
constexpr double kResolution = 0x1p-44;    // spreads below this share of the centre are rounding noise
constexpr double kUnseenChange = 0x1p-10;  // the spread, as a share of the value, where no row ever differed
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 4096;  // numbers: 16 KiB, so that asinh finds them in the first cache

struct Column {
  double centre;
  double spread;
};

std::string place(std::size_t i, std::size_t k) {
  return "row " + std::to_string(i + 1) + ", column " + std::to_string(k + 1);
}

void require_no_infinity(Records sample) {
  if (sample.all_finite()) return;
  for (std::size_t i = 0; i < sample.n(); ++i) {
    for (std::size_t k = 0; k < sample.d(); ++k) {
      const double x = sample.at(i, k);
      if (std::isinf(x)) throw Error(Code::not_finite, place(i, k) + " is " + (x > 0 ? "inf" : "-inf"));
    }
  }
}

// Columns read side by side: as many doubles as a cache line holds.
constexpr std::size_t kTogether = 8;
using Columns = std::array<std::vector<double>, kTogether>;

// The values that are there, of columns first, first + 1, ... Adding 0 makes -0 and 0 one value.
void read(Records sample, std::size_t first, Columns& columns) {
  const std::size_t count = std::min(kTogether, sample.d() - first);
  std::array<std::size_t, kTogether> there{};
  for (std::vector<double>& column : columns) column.resize(sample.n());
  for (std::size_t i = 0; i < sample.n(); ++i) {
    for (std::size_t k = 0; k < count; ++k) {  // the next value takes the place of one that is not there
      const double value = sample.at(i, first + k) + 0.0;
      columns[k][there[k]] = value;
      there[k] += std::isnan(value) ? 0 : 1;
    }
  }
  for (std::size_t k = 0; k < count; ++k) columns[k].resize(there[k]);
}

// One NaN for all: a missing value is equal to another, bit for bit. The bits of NaN are above those of infinity, and
// of nothing else; a loop over integers becomes vector code, and most blocks have none.
void unify_missing(std::span<float> values) {
  constexpr std::uint32_t kInfinityBits = 0x7f800000, kNoSign = 0x7fffffff;
  std::uint32_t carry = 0;  // into the sign
  for (const float value : values) carry |= (std::bit_cast<std::uint32_t>(value) & kNoSign) + (kNoSign - kInfinityBits);
  if (carry >> 31 == 0) return;
  for (float& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  }
}

double median(std::span<const double> sorted) {
  return std::midpoint(sorted[(sorted.size() - 1) / 2], sorted[sorted.size() / 2]);
}

// The median of |x|, n of them. The magnitudes of the numbers below 0 ascend from the middle to the left, those of the
// others to the right; the smallest k stand side by side around the middle, and a binary search finds where.
double median_magnitude(std::span<const double> sorted) {
  const auto n = static_cast<std::ptrdiff_t>(sorted.size());
  const auto middle = std::partition_point(sorted.begin(), sorted.end(), [](double x) { return x < 0; });
  const std::ptrdiff_t below = middle - sorted.begin();
  const auto place = [&](std::ptrdiff_t k) {  // the k-th smallest, from 0 on
    // How many of the k smallest are below 0: the first i that cannot be raised.
    std::ptrdiff_t least = std::max<std::ptrdiff_t>(0, k - (n - below)), most = std::min(k, below);
    while (least < most) {
      const std::ptrdiff_t i = least + (most - least) / 2;
      if (-sorted[static_cast<std::size_t>(below - 1 - i)] < sorted[static_cast<std::size_t>(below + k - 1 - i)]) {
        least = i + 1;
      } else {
        most = i;
      }
    }
    const double left = least < below ? -sorted[static_cast<std::size_t>(below - 1 - least)] : kInfinity;
    const double right = k - least < n - below ? sorted[static_cast<std::size_t>(below + k - least)] : kInfinity;
    return std::min(left, right);
  };
  return std::midpoint(place((n - 1) / 2), place(n / 2));
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// sd = sqrt(1/n sum_i (x_i - m)^2), m = mean
double deviation(std::span<const double> values, double m) {
  double sum = 0;
  for (const double value : values) sum += (value - m) * (value - m);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// Never subnormal, and never infinite: the MAD of a column between -1e308 and 1e308 is no double.
double held_spread(double spread, double centre) {
  const double least = std::max(kResolution * std::abs(centre), std::numeric_limits<double>::min());
  return std::min(std::max(spread, least), std::numeric_limits<double>::max());
}

// Centre and spread of a column that varies. Works in units of the power of two above its largest magnitude, where
// squares of 1e300 do not overflow and those of 1e-300 do not vanish (frexp and ldexp are exact), on deviations from
// the median, where a large offset eats no digits. Overwrites the column.
Column measure(Scale kind, std::span<double> sorted) {
  const double m = median(sorted);
  if (kind == Scale::none) return {m, 1.0};
  int exponent = 0;
  std::frexp(std::max(-sorted.front(), sorted.back()), &exponent);
  const double centre = std::ldexp(m, -exponent);
  const double some = std::ldexp(1.0, -exponent / 2), rest = std::ldexp(1.0, -exponent - -exponent / 2);
  for (double& x : sorted) x = x * some * rest - centre;  // as ldexp does; 2^-exponent alone may be no double
  const double offset = mean(sorted);
  const double sd = deviation(sorted, offset);
  if (kind == Scale::zscore) {
    const double average = std::ldexp(centre + offset, exponent);
    return {average, held_spread(std::ldexp(sd, exponent), average)};
  }
  const double spread = std::max(kNormalMad * median_magnitude(sorted), kLeastOfSd * sd);
  return {m, held_spread(std::ldexp(spread, exponent), m)};
}

// A column that never varied, of a table where none did.
Column unseen(Scale kind, double value) {
  if (kind == Scale::none) return {value, 1.0};
  return {value, held_spread(kUnseenChange * (value == 0 ? 1.0 : std::abs(value)), value)};
}

[[noreturn]] void throw_corrupt(const std::string& sentence) { throw Error(Code::corrupt, sentence); }

void require_valid(const Scaler::State& state) {
  const auto text = [](auto number) { return std::to_string(number); };
  const std::size_t d = state.kept.size();
  if (state.kind > Scale::none) {
    throw_corrupt("a scaler is of kind 0, 1 or 2, this one of kind " + text(static_cast<int>(state.kind)));
  }
  if (d == 0) throw_corrupt("a scaler keeps 0 of " + text(state.inputs) + " columns");
  if (state.centre.size() != d || state.spread.size() != d) {
    throw_corrupt("a scaler keeps " + text(d) + " columns, but has " + text(state.centre.size()) + " centres and " +
                  text(state.spread.size()) + " spreads");
  }
  for (std::size_t k = 0; k < d; ++k) {
    const double m = state.centre[k], s = state.spread[k];
    const std::string column = "column " + text(state.kept[k]);
    if (state.kept[k] >= state.inputs) {
      throw_corrupt("a scaler of " + text(state.inputs) + " columns keeps " + column + ", counted from 0");
    }
    if (k > 0 && state.kept[k - 1] >= state.kept[k]) {
      throw_corrupt("a scaler keeps " + column + " after column " + text(state.kept[k - 1]));
    }
    if (!std::isfinite(m)) throw_corrupt("the centre of " + column + " is not finite");
    if (!(s > 0 && std::isnormal(s))) throw_corrupt("the spread of " + column + " is no normal number above 0");
    if (state.kind == Scale::none && s != 1) throw_corrupt("the scale is none, the spread of " + column + " is not 1");
  }
}

}  // namespace

std::string name(Scale scale) { return kNames.at(static_cast<std::size_t>(scale)); }

Scale scale_named(const std::string& name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    throw Error(Code::invalid_argument, "there is no scale '" + name + "'; it may be robust, zscore or none");
  }
  return static_cast<Scale>(found - kNames.begin());
}

Scaler::Scaler(State state) : state_(std::move(state)) { simd::obey_environment(); }

Scaler Scaler::fit(Scale kind, Records sample) {
  if (sample.empty()) throw Error(Code::invalid_argument, "a scaler needs a sample of at least 1 row, it has 0");
  require_no_infinity(sample);
  State varying{.kind = kind, .inputs = sample.d(), .kept = {}, .centre = {}, .spread = {}};
  State constant = varying;
  Columns columns;
  for (std::size_t k = 0; k < sample.d(); ++k) {
    if (k % kTogether == 0) read(sample, k, columns);
    // Sorted, so that sums over them do not depend on the order of the rows.
    std::vector<double>& values = columns[k % kTogether];
    sort_numbers(values);
    if (values.empty()) values.push_back(0.0);  // a column that never was there is as good as constant
    const bool varies = values.front() < values.back();
    const Column column = varies ? measure(kind, values) : unseen(kind, values.front());
    State& state = varies ? varying : constant;
    state.kept.push_back(static_cast<std::uint32_t>(k));
    state.centre.push_back(column.centre);
    state.spread.push_back(column.spread);
  }
  return Scaler(varying.kept.empty() ? std::move(constant) : std::move(varying));
}

Scaler Scaler::from_state(State state) {
  require_valid(state);
  return Scaler(std::move(state));
}

void Scaler::require_shapes(Records rows, std::size_t room) const {
  if (rows.d() != inputs()) {
    throw Error(Code::shape_mismatch,
                "rows have " + std::to_string(rows.d()) + " columns, the scaler takes " + std::to_string(inputs()));
  }
  if (room != rows.n() * d()) {
    throw Error(Code::shape_mismatch, "the output has room for " + std::to_string(room) + " numbers, " +
                                          std::to_string(rows.n() * d()) + " come");
  }
}

void Scaler::apply(Records rows, std::span<float> out) const {
  if (rows.empty()) return;
  require_shapes(rows, out.size());
  const simd::Columns columns{d() == inputs() ? nullptr : kept().data(), centre().data(), spread().data(), d()};
  const std::size_t block = std::max<std::size_t>(1, kBlock / d());
  for (std::size_t begin = 0; begin < rows.n(); begin += block) {
    const std::size_t end = std::min(begin + block, rows.n());
    const std::span<float> block_out = out.subspan(begin * d(), (end - begin) * d());
    if (rows.is_double()) {
      simd::standardise(rows.doubles(begin), end - begin, rows.stride(), columns, block_out.data());
    } else {
      simd::standardise(rows.floats(begin), end - begin, rows.stride(), columns, block_out.data());
    }
    if (kind() == Scale::robust) simd::asinh_in_place(block_out.data(), block_out.size());
    unify_missing(block_out);
  }
}

// The slope of the scale at x is 1 / s, for robust 1 / (s sqrt(1 + z^2)), z = (x - m) / s.
void Scaler::apply_errors(Records rows, Records errors, std::span<float> variances) const {
  if (rows.n() != errors.n() || rows.d() != errors.d()) {
    throw Error(Code::shape_mismatch, "there are " + std::to_string(rows.n()) + " x " + std::to_string(rows.d()) +
                                          " numbers and " + std::to_string(errors.n()) + " x " +
                                          std::to_string(errors.d()) + " errors");
  }
  if (rows.empty()) return;
  require_shapes(rows, variances.size());
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < rows.n(); ++i) {
    for (std::size_t k = 0; k < d(); ++k) {
      const double x = rows.at(i, kept()[k]), sd = errors.at(i, kept()[k]);
      if (!std::isnan(x) && !(sd >= 0 && std::isfinite(sd))) {
        throw Error(Code::invalid_argument,
                    "an error is a number from 0 on, that of " + place(i, kept()[k]) + " is " + text(sd));
      }
      const double z = kind() == Scale::robust ? (x - centre()[k]) / spread()[k] : 0.0;
      const double scaled = sd / spread()[k] / std::sqrt(1 + z * z);
      variances[i * d() + k] = std::isnan(x) ? 0.0F : static_cast<float>(std::min(scaled * scaled, kLargest));
    }
  }
}

}  // namespace expose

#include "expose/scale/scaler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/simd/asinh.hpp"
#include "expose/simd/target.hpp"

namespace expose {

namespace {

constexpr std::array<const char*, 3> kNames = {"robust", "zscore", "none"};

constexpr double kNormalMad = 1.4826;      // the sd of a normal distribution is this many times its MAD
constexpr double kLeastOfSd = 0.25;        // for columns with half their mass on one value, whose MAD is 0
constexpr double kResolution = 0x1p-44;    // spreads below this share of the centre are rounding noise
constexpr double kUnseenChange = 0x1p-10;  // the spread, as a share of the value, where no row ever differed
constexpr std::size_t kBlock = 4096;       // numbers: 16 KiB, so that asinh finds them in the first cache

struct Column {
  double centre;
  double spread;
};

void require_finite_sample(Records sample) {
  for (std::size_t i = 0; i < sample.n(); ++i) {
    for (std::size_t k = 0; k < sample.d(); ++k) {
      const double x = sample.at(i, k);
      if (std::isfinite(x)) continue;
      const char* value = std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
      throw Error(Code::not_finite,
                  "row " + std::to_string(i + 1) + ", column " + std::to_string(k + 1) + " is " + value);
    }
  }
}

// Sorted, so that sums over it do not depend on the order of the rows. Adding 0 makes -0 and 0 one value.
void read_sorted(Records sample, std::size_t k, std::span<double> column) {
  for (std::size_t i = 0; i < sample.n(); ++i) column[i] = sample.at(i, k) + 0.0;
  std::sort(column.begin(), column.end());
}

double median(std::span<const double> sorted) {
  return std::midpoint(sorted[(sorted.size() - 1) / 2], sorted[sorted.size() / 2]);
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
  for (double& x : sorted) x = std::ldexp(x, -exponent) - centre;
  const double offset = mean(sorted);
  const double sd = deviation(sorted, offset);
  if (kind == Scale::zscore) {
    const double average = std::ldexp(centre + offset, exponent);
    return {average, held_spread(std::ldexp(sd, exponent), average)};
  }
  for (double& x : sorted) x = std::abs(x);
  std::sort(sorted.begin(), sorted.end());
  const double spread = std::max(kNormalMad * median(sorted), kLeastOfSd * sd);
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

// out[k] = (x[kept[k]] - m[k]) / s[k], at most the largest float. `kept` is a function, so that a table that keeps all
// its columns is read straight through. A NaN fails the comparison and stays. (With one comparison by magnitude, not
// two, compilers see a loop without branches and make vector code of it.)
template <class Number, class Kept>
void standardise(const Number* x, const Kept& kept, const Scaler::State& state, float* out) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  const double* const m = state.centre.data();
  const double* const s = state.spread.data();
  const std::size_t d = state.kept.size();
  for (std::size_t k = 0; k < d; ++k) {
    const double z = (static_cast<double>(x[kept(k)]) - m[k]) / s[k];
    const double size = std::abs(z);
    out[k] = static_cast<float>(std::copysign(size > kLargest ? kLargest : size, z));
  }
}

template <class Number>
void standardise_row(const Number* x, const Scaler::State& state, float* out) {
  if (state.kept.size() == state.inputs) {
    const auto all = [](std::size_t k) { return k; };
    standardise(x, all, state, out);
  } else {
    const auto kept = [columns = state.kept.data()](std::size_t k) { return columns[k]; };
    standardise(x, kept, state, out);
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
  require_finite_sample(sample);
  State varying{.kind = kind, .inputs = sample.d(), .kept = {}, .centre = {}, .spread = {}};
  State constant = varying;
  std::vector<double> values(sample.n());
  for (std::size_t k = 0; k < sample.d(); ++k) {
    read_sorted(sample, k, values);
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

void Scaler::apply(Records rows, std::span<float> out) const {
  if (rows.empty()) return;
  if (rows.d() != inputs()) {
    throw Error(Code::shape_mismatch,
                "rows have " + std::to_string(rows.d()) + " columns, the scaler takes " + std::to_string(inputs()));
  }
  if (out.size() != rows.n() * d()) {
    throw Error(Code::shape_mismatch, "the output has room for " + std::to_string(out.size()) + " numbers, " +
                                          std::to_string(rows.n() * d()) + " come");
  }
  const std::size_t block = std::max<std::size_t>(1, kBlock / d());
  for (std::size_t begin = 0; begin < rows.n(); begin += block) {
    const std::size_t end = std::min(begin + block, rows.n());
    for (std::size_t i = begin; i < end; ++i) {
      float* const row = out.data() + i * d();
      if (rows.is_double()) {
        standardise_row(rows.doubles(i), state_, row);
      } else {
        standardise_row(rows.floats(i), state_, row);
      }
    }
    if (kind() == Scale::robust) simd::asinh_in_place(out.data() + begin * d(), (end - begin) * d());
  }
}

}  // namespace expose

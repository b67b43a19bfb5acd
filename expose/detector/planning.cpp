// How a plan is made from a sample: scaler, bandwidth, map, gate. Every choice that a user left open is made here.
#include <algorithm>
#include <cstring>

#include "expose/base/error.hpp"
#include "expose/base/interrupt.hpp"
#include "expose/base/random.hpp"
#include "expose/detector/bandwidth.hpp"
#include "expose/detector/plan.hpp"
#include "expose/detector/row_hash.hpp"
#include "expose/detector/sampler.hpp"
#include "expose/detector/spaced.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

namespace {

constexpr std::size_t kIsolationLandmarks = 512;  // 128 partitions
constexpr std::size_t kFewestGateRows = 20;       // with fewer there is no telling who is outside
// A row that holds this share of the sample is one the calibration sample of 2,000 must not lose.
constexpr double kFrequentShare = 1.0 / 2000;
constexpr std::uint64_t kLandmarkStream = std::uint64_t{3} << 56;  // of the seed; maps.hpp has the others

// What is left open, decided without looking at values.
Scale choose_scale(const Options& options) {
  return options.scale.value_or(options.preset == Preset::paper ? Scale::none : Scale::robust);
}

struct Choices {
  MapKind map;
  std::size_t r;
  double trim;
};

std::size_t default_r(MapKind map, bool paper) {
  if (map == MapKind::isolation) return kIsolationLandmarks;
  if (map == MapKind::nystrom) return paper ? 1000 : 256;
  return paper ? 20000 : 2048;
}

// d: the columns that vary.
Choices choose(const Options& options, std::size_t d) {
  const bool paper = options.preset == Preset::paper;
  const bool everything = std::holds_alternative<Everything>(options.memory);
  Choices choices{};
  choices.map = map_of(options, d);
  choices.r = options.r.value_or(default_r(choices.map, paper));
  choices.trim = options.trim.value_or(everything && !paper ? 0.2 : 0.0);
  return choices;
}

// The sample with the mean of its column for each missing value, for landmarks, which must be points. A draw from the
// other values of the column ranks no differently. `room` holds the points where the sample itself is none.
Rows as_points(Rows sample, const Unknown& unknown, Filled& room) {
  if (!any_missing(sample)) return sample;
  for (std::size_t i = 0; i < sample.n(); ++i) room.add(unknown, sample[i]);
  return room.rows();
}

// r rows that differ. Where the draw has several copies of one, rows that were not drawn fill up.
std::vector<float> choose_landmarks(Rows sample, std::size_t r) {
  std::vector<std::size_t> first(sample.n());  // copy of row i: copies of a row are neighbours
  for (std::size_t i = 0; i < sample.n(); ++i) {
    first[i] = i > 0 && std::ranges::equal(sample[i], sample[i - 1]) ? first[i - 1] : i;
  }
  std::vector<std::size_t> candidates = spaced(sample.n(), r);
  for (std::size_t i = 0; i < sample.n(); ++i) candidates.push_back(i);
  std::vector<std::size_t> landmarks;
  std::vector<bool> taken(sample.n());
  for (const std::size_t i : candidates) {
    if (landmarks.size() == r) break;
    if (taken[first[i]]) continue;
    taken[first[i]] = true;
    landmarks.push_back(i);
  }
  return pick(sample, landmarks);
}

// r rows, each drawn by itself: the partitions must be independent for their spread to tell the error.
std::vector<float> draw_landmarks(Rows sample, std::size_t r, std::uint64_t seed) {
  Random random(seed, kLandmarkStream);
  std::vector<std::size_t> places(r);
  for (std::size_t& place : places) place = random.below(sample.n());
  return pick(sample, places);
}

SharedMap choose_map(const Options& options, const Choices& choices, Rows sample, const Unknown& unknown) {
  const double given = options.bandwidth.value_or(bandwidth(options.kernel));
  Recipe recipe;
  recipe.kind = choices.map;
  recipe.d = sample.d();
  recipe.r = choices.r;
  recipe.seed = options.seed;
  Filled room{sample.d()};
  if (recipe.kind == MapKind::isolation) {  // has no kernel to choose
    recipe.kernel = Gaussian{1.0};
    recipe.landmarks = draw_landmarks(as_points(sample, unknown, room), recipe.r, options.seed);
    return make_map(std::move(recipe));
  }
  recipe.kernel =
      kernel_named(name(options.kernel), given != 0 ? given : choose_bandwidth(options.kernel, sample, unknown));
  if (recipe.kind == MapKind::nystrom) {
    recipe.landmarks = choose_landmarks(as_points(sample, unknown, room), choices.r);
    recipe.r = recipe.landmarks.size() / recipe.d;
  }
  return make_map(std::move(recipe));
}

// Hashes of the rows that are there often; copies of a row are neighbours in the sample.
std::vector<std::uint64_t> find_frequent(Records sample, std::uint64_t seed) {
  std::vector<std::uint64_t> frequent;
  std::vector<double> canonical(sample.d());
  const double wanted = std::max(2.0, kFrequentShare * static_cast<double>(sample.n()));
  const auto equal = [&](std::size_t i, std::size_t j) {
    // By their bits: a missing number, NaN, is equal to itself, and a sample is canonical.
    return std::memcmp(sample.doubles(i), sample.doubles(j), sample.d() * sizeof(double)) == 0;
  };
  for (std::size_t begin = 0, end = 0; begin < sample.n(); begin = end) {
    for (end = begin + 1; end < sample.n() && equal(begin, end);) ++end;
    if (static_cast<double>(end - begin) >= wanted) frequent.push_back(hash_row(sample, begin, seed, canonical));
  }
  return frequent;
}

// The sample, scaled, without rows that have nothing but missing values in the columns that stay.
std::vector<float> scale_known(const Scaler& scaler, Records sample) {
  std::vector<float> scaled(sample.n() * scaler.d());
  scaler.apply(sample, scaled);
  std::size_t known = 0;
  for (std::size_t i = 0; i < sample.n(); ++i) {
    const std::span<float> row = std::span(scaled).subspan(i * scaler.d(), scaler.d());
    if (all_missing(row)) continue;
    std::ranges::copy(row, scaled.begin() + static_cast<std::ptrdiff_t>(known++ * scaler.d()));
  }
  scaled.resize(known * scaler.d());
  return scaled;
}

// Whether missing values are integrated out. A map that cannot is good as long as none is missing.
bool can_integrate(const Options& options, const FeatureMap& map, Rows sample) {
  if (options.missing == Missing::reject) return false;
  if (map.integrates()) return true;
  for (std::size_t i = 0; i < sample.n(); ++i) {
    if (!has_missing(sample[i])) continue;
    throw Error(Code::invalid_argument, "there are missing values, and a map of kind " + name(map.recipe().kind) +
                                            " with the kernel " + name(map.kernel()) +
                                            " cannot integrate them out; take map=fourier, or nystrom with "
                                            "kernel=gaussian, or missing=reject to leave such rows out");
  }
  return false;
}

// What follows once there are a scaler and a map: the gate. rows: the sample, scaled.
struct PlannedOn {
  std::int64_t rows;
  bool first_only;
};
Plan finish(const Options& options, double trim, Scaler scaler, SharedMap map, std::optional<Unknown> unknown,
            Records sample, Rows rows, PlannedOn planned_on) {
  // Fractional weights make a large sample of a few rows, so both are asked.
  const bool few = rows.n() < kFewestGateRows || planned_on.rows < static_cast<std::int64_t>(kFewestGateRows);
  std::optional<Gate> gate = make_gate(map, unknown, rows, few ? 0.0 : trim);
  return Plan({.scaler = std::move(scaler),
               .map = std::move(map),
               .memory = options.memory,
               .gate = std::move(gate),
               .trim = trim,
               .seed = options.seed,
               .frequent = find_frequent(sample, options.seed),
               .planned_on = planned_on.rows,
               .first_rows_only = planned_on.first_only,
               .unknown = std::move(unknown),
               .table = options.table});
}

}  // namespace

Plan plan_from_sample(Records sample, const Options& options, std::int64_t planned_on, bool first_rows_only) {
  require_valid(options);
  if (sample.empty()) {
    throw Error(Code::invalid_argument,
                options.missing == Missing::integrate
                    ? "a plan needs at least 1 row with a value and no infinite one, there is none"
                    : "a plan needs at least 1 row without missing or infinite values, there is none");
  }
  if (options.table && options.table->width() != sample.d()) {
    throw Error(Code::shape_mismatch, "rows have " + std::to_string(sample.d()) + " numbers, the table gives " +
                                          std::to_string(options.table->width()));
  }
  // The number of columns that vary decides about the map, so the scaler comes first.
  Scaler scaler = Scaler::fit(choose_scale(options), sample);
  const Choices choices = choose(options, scaler.d());
  const std::vector<float> scaled = scale_known(scaler, sample);
  const Rows rows(scaled, scaler.d());
  Unknown measured = measure_unknown(rows);
  SharedMap map = choose_map(options, choices, rows, measured);
  std::optional<Unknown> unknown;
  if (can_integrate(options, *map, rows)) unknown = std::move(measured);
  return finish(options, choices.trim, std::move(scaler), std::move(map), std::move(unknown), sample, rows,
                {planned_on, first_rows_only});
}

Plan plan_given(Records kernel, Records rows, const Options& options, std::int64_t planned_on) {
  require_valid(options);
  if (rows.empty()) throw Error(Code::invalid_argument, "a plan needs at least 1 row, there is none");
  const std::size_t r = kernel.n();
  Recipe recipe{.kind = MapKind::given, .d = kernel.d(), .r = r, .kernel = Gaussian{1.0}};
  for (std::size_t i = 0; i < r * kernel.d(); ++i) {
    recipe.landmarks.push_back(static_cast<float>(kernel.at(i / kernel.d(), i % kernel.d())));
  }
  SharedMap map = make_map(std::move(recipe));
  // Kernel values are as they should be.
  Scaler::State as_it_is{Scale::none, r, {}, std::vector<double>(r, 0.0), std::vector<double>(r, 1.0)};
  for (std::size_t k = 0; k < r; ++k) as_it_is.kept.push_back(static_cast<std::uint32_t>(k));
  Scaler scaler = Scaler::from_state(std::move(as_it_is));
  // In the order of their hashes, as every sample.
  Sampler sampler(r, options.seed);
  sampler.add(rows);
  const std::vector<double> values = sampler.sample();
  const Records sample(values, r);
  std::vector<float> scaled(values.size());
  scaler.apply(sample, scaled);
  return finish(options, choose(options, r).trim, std::move(scaler), std::move(map), {}, sample, Rows(scaled, r),
                {planned_on, false});
}

Plan plan_from_hashes(Records rows, std::span<const std::uint64_t> hashes, const Options& options,
                      std::span<const double> weights) {
  Sampler sampler(rows.d(), options.seed, options.missing);
  const SamplingCounts sampling = sampling_counts(weights, rows.n());
  // Some at a time, to look up in between: the sample is the same.
  const auto in_parts = [&](const auto& take) {
    constexpr std::size_t kRows = std::size_t{1} << 20;
    for (std::size_t begin = 0; begin < rows.n(); begin += kRows) {
      const std::size_t n = std::min(kRows, rows.n() - begin);
      const std::span<const std::int64_t> counts(sampling.counts);
      take(rows.slice(begin, begin + n), hashes.subspan(begin, n), counts.empty() ? counts : counts.subspan(begin, n));
      look_up();
    }
  };
  in_parts([&](const auto&... part) { sampler.add(part...); });
  if (sampler.wants_second_pass()) in_parts([&](const auto&... part) { sampler.recount(part...); });
  const std::vector<double> sample = sampler.sample();
  const std::int64_t planned_on = (sampler.rows() + sampling.per_row / 2) / sampling.per_row;
  return plan_from_sample(Records(sample, rows.d()), options, planned_on);
}

Plan plan(Records rows, const Options& options, std::span<const double> weights) {
  require_valid(options);
  Pool pool(options.threads);
  return plan_from_hashes(rows, hash_good_rows(rows, options.seed, options.missing, pool).hashes, options, weights);
}

}  // namespace expose

// How a plan is made from a sample: scaler, bandwidth, map, gate. Every choice that a user left open is made here.
#include <algorithm>
#include <cmath>

#include "expose/base/error.hpp"
#include "expose/detector/plan.hpp"
#include "expose/detector/row_hash.hpp"
#include "expose/detector/sampler.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

namespace {

// Measured on 43 public tables (docs/accuracy.md).
constexpr double kMedianShare = 0.354;       // bandwidth over median distance
constexpr double kMedianShareL1 = 0.25;      // the same for the L1 kernel
constexpr std::size_t kDistanceRows = 1000;  // rows whose distances are looked at
constexpr std::size_t kGateRows = 2000;      // rows the gate is made from: 1,000 were enough
constexpr int kGateRounds = 3;
constexpr std::size_t kFewestGateRows = 20;  // with fewer there is no telling who is outside
// A row that holds this share of the sample is one the calibration sample of 2,000 must not lose.
constexpr double kFrequentShare = 1.0 / 2000;

// What is left open, decided without looking at values.
Scale choose_scale(const Options& options) {
  return options.scale.value_or(options.preset == Preset::paper ? Scale::none : Scale::robust);
}

struct Choices {
  MapKind map;
  std::size_t r;
  double trim;
};

// d: the columns that vary.
Choices choose(const Options& options, std::size_t d) {
  const bool paper = options.preset == Preset::paper;
  const bool everything = std::holds_alternative<Everything>(options.memory);
  Choices choices{};
  const bool round = rotation_invariant(options.kernel);
  const MapKind drifting = d < 16 || paper || !round ? MapKind::fourier : MapKind::sorf;
  choices.map = options.map.value_or(everything ? MapKind::nystrom : drifting);
  const bool nystrom = choices.map == MapKind::nystrom;
  choices.r = options.r.value_or(paper ? (nystrom ? 1000 : 20000) : (nystrom ? 256 : 2048));
  choices.trim = options.trim.value_or(everything && !paper ? 0.2 : 0.0);
  return choices;
}

// `wanted` rows of a sample of n, or all if there are fewer, evenly spaced: a uniform draw, since the sample is in the
// order of its hashes, in which a row that is there often keeps its share, since its copies are neighbours.
std::vector<std::size_t> spaced(std::size_t n, std::size_t wanted) {
  const std::size_t count = std::min(n, wanted);
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i * n / count;
  return places;
}

std::vector<float> pick(Rows sample, const std::vector<std::size_t>& places) {
  std::vector<float> picked;
  picked.reserve(places.size() * sample.d());
  for (const std::size_t i : places) picked.insert(picked.end(), sample[i].begin(), sample[i].end());
  return picked;
}

// sum_k term(x_k - z_k), in eight partial sums: a fixed order that compilers can make vector code of.
template <class Term>
double sum_over_columns(std::span<const float> x, std::span<const float> z, const Term& term) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes <= x.size(); k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += term(static_cast<double>(x[k + lane]) - static_cast<double>(z[k + lane]));
    }
  }
  for (std::size_t lane = 0; k < x.size(); ++k, ++lane) {
    lanes[lane] += term(static_cast<double>(x[k]) - static_cast<double>(z[k]));
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

double distance(const Kernel& kernel, std::span<const float> x, std::span<const float> z) {
  if (std::holds_alternative<Laplacian>(kernel)) {
    return sum_over_columns(x, z, [](double difference) { return std::abs(difference); });
  }
  return std::sqrt(sum_over_columns(x, z, [](double difference) { return difference * difference; }));
}

// A share of the median distance of rows that differ; 1 where no two do.
double choose_bandwidth(const Kernel& kernel, Rows sample) {
  const std::vector<float> picked = pick(sample, spaced(sample.n(), kDistanceRows));
  const Rows rows(picked, sample.d());
  std::vector<double> distances;
  distances.reserve(rows.n() * (rows.n() - 1) / 2);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = distance(kernel, rows[i], rows[j]);
      if (apart > 0) distances.push_back(apart);
    }
  }
  if (distances.empty()) return 1.0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  const double share = std::holds_alternative<Laplacian>(kernel) ? kMedianShareL1 : kMedianShare;
  return std::clamp(share * *middle, kSmallestBandwidth, kLargestBandwidth);
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

SharedMap choose_map(const Options& options, const Choices& choices, Rows sample) {
  const double given = options.bandwidth.value_or(bandwidth(options.kernel));
  Recipe recipe;
  recipe.kind = choices.map;
  recipe.d = sample.d();
  recipe.r = choices.r;
  recipe.kernel = kernel_named(name(options.kernel), given != 0 ? given : choose_bandwidth(options.kernel, sample));
  recipe.seed = options.seed;
  if (recipe.kind == MapKind::nystrom) {
    recipe.landmarks = choose_landmarks(sample, choices.r);
    recipe.r = recipe.landmarks.size() / recipe.d;
  }
  return make_map(std::move(recipe));
}

// The threshold that a share `trim` of these similarities stays below.
double quantile(std::vector<double> eta, double trim) {
  const auto below = static_cast<std::ptrdiff_t>(trim * static_cast<double>(eta.size()));
  std::nth_element(eta.begin(), eta.begin() + below, eta.end());
  return eta[static_cast<std::size_t>(below)];
}

MeanMap mean_of(const SharedMap& map, Rows rows, const std::vector<bool>& inner) {
  std::vector<float> inside;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (inner[i]) inside.insert(inside.end(), rows[i].begin(), rows[i].end());
  }
  MeanMap mean(map);
  mean.add(Rows(inside, rows.d()));
  return mean;
}

// The robust refit, on the sample: rows that are least like the others leave the mean, and what is left judges again.
std::optional<Gate> make_gate(const SharedMap& map, Rows sample, double trim) {
  if (trim == 0) return {};
  const std::vector<float> picked = pick(sample, spaced(sample.n(), kGateRows));
  const Rows rows(picked, sample.d());
  std::vector<bool> inner(rows.n(), true);
  for (int round = 0; round < kGateRounds; ++round) {
    const MeanMap mean = mean_of(map, rows, inner);
    std::vector<double> eta = Gatekeeper(mean).similarity(rows);
    const double n = mean.weight();
    for (std::size_t i = 0; i < rows.n(); ++i) {  // left out of its own judgement
      if (inner[i]) eta[i] = n > 1 ? (n * eta[i] - 1) / (n - 1) : 0;
    }
    const double threshold = quantile(eta, trim);
    for (std::size_t i = 0; i < rows.n(); ++i) inner[i] = eta[i] >= threshold;
  }
  Gate gate{mean_of(map, rows, inner), 0.0};
  gate.threshold = quantile(Gatekeeper(gate.inner).similarity(rows), trim);
  return gate;
}

// Hashes of the rows that are there often; copies of a row are neighbours in the sample.
std::vector<std::uint64_t> find_frequent(Records sample, std::uint64_t seed) {
  std::vector<std::uint64_t> frequent;
  std::vector<double> canonical(sample.d());
  const double wanted = std::max(2.0, kFrequentShare * static_cast<double>(sample.n()));
  std::uint64_t last = 0;
  double copies = 0;
  for (std::size_t i = 0; i < sample.n(); ++i) {
    const std::uint64_t hash = hash_row(sample, i, seed, canonical);
    copies = i > 0 && hash == last ? copies + 1 : 1;
    last = hash;
    if (copies >= wanted && (frequent.empty() || frequent.back() != hash)) frequent.push_back(hash);
  }
  return frequent;
}

}  // namespace

Plan plan_from_sample(Records sample, const Options& options, std::int64_t planned_on, bool first_rows_only) {
  require_valid(options);
  if (sample.empty()) {
    throw Error(Code::invalid_argument,
                "a plan needs at least 1 row without missing or infinite values, there is none");
  }
  // The number of columns that vary decides about the map, so the scaler comes first.
  Scaler scaler = Scaler::fit(choose_scale(options), sample);
  const Choices choices = choose(options, scaler.d());
  std::vector<float> scaled(sample.n() * scaler.d());
  scaler.apply(sample, scaled);
  const Rows rows(scaled, scaler.d());
  SharedMap map = choose_map(options, choices, rows);
  // Fractional weights make a large sample of a few rows, so both are asked.
  const bool few = sample.n() < kFewestGateRows || planned_on < static_cast<std::int64_t>(kFewestGateRows);
  std::optional<Gate> gate = make_gate(map, rows, few ? 0.0 : choices.trim);
  return Plan({.scaler = std::move(scaler),
               .map = std::move(map),
               .memory = options.memory,
               .gate = std::move(gate),
               .trim = choices.trim,
               .seed = options.seed,
               .frequent = find_frequent(sample, options.seed),
               .planned_on = planned_on,
               .first_rows_only = first_rows_only});
}

Plan plan(Records rows, const Options& options, std::span<const double> weights) {
  require_valid(options);
  Sampler sampler(rows.d(), options.seed);
  const SamplingCounts sampling = sampling_counts(weights, rows.n());
  const std::span<const std::int64_t> counts(sampling.counts);
  const auto for_good = [&](auto&& take) {
    for_good_runs(rows, [&](std::size_t begin, std::size_t end) {
      take(rows.slice(begin, end), counts.empty() ? counts : counts.subspan(begin, end - begin));
    });
  };
  for_good([&](const Records& good, std::span<const std::int64_t> some) { sampler.add(good, some); });
  if (sampler.wants_second_pass()) {
    for_good([&](const Records& good, std::span<const std::int64_t> some) { sampler.recount(good, some); });
  }
  const std::vector<double> sample = sampler.sample();
  const std::int64_t planned_on = (sampler.rows() + sampling.per_row / 2) / sampling.per_row;
  return plan_from_sample(Records(sample, rows.d()), options, planned_on);
}

}  // namespace expose

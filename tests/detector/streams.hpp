// Streams for the tests of the watcher: rows that own their numbers, and one set of options for each memory and map.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/detector/watcher.hpp"

namespace expose {

struct Flow {
  std::vector<double> values;
  std::size_t d = 1;

  std::size_t n() const { return values.size() / d; }
  Records rows() const { return Records(std::span<const double>(values), d); }
  Records rows(std::size_t begin, std::size_t end) const { return rows().slice(begin, end); }
  std::span<const double> operator[](std::size_t i) const { return std::span(values).subspan(i * d, d); }
};

// n rows of d normal numbers around `centre`.
inline Flow normal_flow(std::size_t n, std::size_t d, std::uint64_t seed, double centre = 0.0) {
  Random random(seed, 0);
  Flow flow{std::vector<double>(n * d), d};
  for (double& value : flow.values) value = centre + random.normal();
  return flow;
}

inline Flow operator+(Flow a, const Flow& b) {
  a.values.insert(a.values.end(), b.values.begin(), b.values.end());
  return a;
}

// The rows in the order given.
inline Flow pick(const Flow& flow, const std::vector<std::size_t>& order) {
  Flow picked{{}, flow.d};
  for (const std::size_t i : order) picked.values.insert(picked.values.end(), flow[i].begin(), flow[i].end());
  return picked;
}

inline std::vector<Verdict> watch_one_by_one(Watcher& watcher, const Flow& flow, std::size_t begin, std::size_t end) {
  std::vector<Verdict> verdicts;
  for (std::size_t i = begin; i < end; ++i) verdicts.push_back(watcher.watch(flow[i]));
  return verdicts;
}

// A test for every memory and kind of map: GetParam() has the options.
struct StreamCase {
  const char* name;
  Options options;
  friend std::ostream& operator<<(std::ostream& out, const StreamCase& one) { return out << one.name; }
};

class EveryStream : public testing::TestWithParam<StreamCase> {
 protected:
  const Options& options() const { return GetParam().options; }
};

inline const std::vector<StreamCase> kStreamCases = {
    {"EverythingNystrom", {.r = 40}},
    {"EverythingFourier", {.map = MapKind::fourier, .r = 45}},
    {"EverythingWithoutGate", {.map = MapKind::fourier, .r = 45, .trim = 0.0}},
    {"EverythingIsolation", {.map = MapKind::isolation, .r = 60}},
    {"WindowFourier", {.r = 45, .memory = Window{60}}},
    {"WindowNystrom", {.map = MapKind::nystrom, .r = 40, .memory = Window{60}}},
    {"WindowIsolation", {.map = MapKind::isolation, .r = 60, .memory = Window{60}}},
    {"FadingFourier", {.r = 45, .memory = Fading{0.02}}},
    {"FadingSorf", {.map = MapKind::sorf, .r = 45, .memory = Fading{0.02}}},
    {"FadingNystrom", {.map = MapKind::nystrom, .r = 40, .memory = Fading{0.02}}},
};

inline std::string case_name(const testing::TestParamInfo<StreamCase>& info) { return info.param.name; }

// A detector of this plan that has learned these rows.
inline Detector learned_by(const Plan& plan, const Flow& flow, std::size_t threads = 2) {
  Detector detector(plan, threads);
  detector.learn(flow.rows());
  return detector;
}

}  // namespace expose

#define EXPOSE_FOR_EVERY_STREAM(Suite) \
  INSTANTIATE_TEST_SUITE_P(Memories, Suite, testing::ValuesIn(kStreamCases), case_name)

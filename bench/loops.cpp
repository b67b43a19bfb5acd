// Rows a second of the inner loops on one core: what a map and a mean cost, before any detector.
// build/release/bench/loops_bench [--benchmark_filter=judge]; items_per_second is rows a second.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/map/feature_map.hpp"
#include "expose/mean/mean_map.hpp"
#include "expose/score/many.hpp"
#include "expose/simd/features.hpp"
#include "expose/simd/target.hpp"

namespace expose {
namespace {

struct Case {
  const char* name;
  MapKind kind;
  std::size_t d, r, rows;
};

constexpr Case kCases[] = {
    {"fourier d=10 r=1024", MapKind::fourier, 10, 1024, 20000},
    {"fourier d=127 r=4096", MapKind::fourier, 127, 4096, 2000},
    {"sorf d=127 r=4096", MapKind::sorf, 127, 4096, 10000},
    {"sorf d=784 r=32768", MapKind::sorf, 784, 32768, 1000},
    {"nystrom d=10 r=256", MapKind::nystrom, 10, 256, 50000},
    {"nystrom d=10 r=1000", MapKind::nystrom, 10, 1000, 20000},
    {"sorf d=784 r=2048", MapKind::sorf, 784, 2048, 2000},
    {"nystrom d=127 r=256", MapKind::nystrom, 127, 256, 10000},
    {"nystrom d=127 r=1000", MapKind::nystrom, 127, 1000, 5000},
    {"isolation d=10 r=512", MapKind::isolation, 10, 512, 20000},
};

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

SharedMap map_of(const Case& c) {
  Recipe recipe{.kind = c.kind, .d = c.d, .r = c.r, .kernel = Gaussian{std::sqrt(static_cast<double>(c.d))}, .seed = 1};
  if (has_landmarks(c.kind)) recipe.landmarks = normals(c.r * c.d, 2);
  return make_map(recipe);
}

void learn(benchmark::State& state, const Case& c) {
  const SharedMap map = map_of(c);
  const std::vector<float> values = normals(c.rows * c.d, 3);
  std::vector<std::int64_t> sums(map->size(), 0);
  for (auto _ : state) map->accumulate(Rows(values, c.d), sums);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(c.rows));
}

void judge(benchmark::State& state, const Case& c) {
  const SharedMap map = map_of(c);
  const std::vector<float> values = normals(c.rows * c.d, 3);
  const Folded folded = map->fold(std::vector<double>(map->size(), 0.1));
  std::vector<double> eta(c.rows);
  for (auto _ : state) map->similarity(Rows(values, c.d), folded, eta);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(c.rows));
}

void judge_one(benchmark::State& state, const Case& c) {
  const SharedMap map = map_of(c);
  const std::vector<float> values = normals(1000 * c.d, 3);
  const Rows rows(values, c.d);
  const Folded folded = map->fold(std::vector<double>(map->size(), 0.1));
  std::vector<double> eta(1);
  std::size_t i = 0;
  for (auto _ : state) {
    map->similarity(rows.slice(i, i + 1), folded, eta);
    i = (i + 1) % rows.n();
  }
  state.SetItemsProcessed(state.iterations());
}

// A stream without calibration: project a row, judge it by the rows before it, learn it. Random maps only.
void watch_one(benchmark::State& state, const Case& c) {
  const SharedMap map = map_of(c);
  const std::vector<float> values = normals(1000 * c.d, 3);
  const Rows rows(values, c.d);
  MeanMap mean(map);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(mean.watch(rows[i]));
    i = (i + 1) % rows.n();
  }
  state.SetItemsProcessed(state.iterations());
}

// What a detector with a gate does to a block: features, their products with one vector, and the sums of them.
void gate(benchmark::State& state, const Case& c) {
  constexpr std::size_t kBlock = 128;
  const SharedMap map = map_of(c);
  const std::vector<float> values = normals(kBlock * c.d, 3);
  const std::vector<float> dual(map->size(), 0.1F);
  const std::vector<char> keep(kBlock, 1);
  std::vector<float> features(kBlock * map->size());
  std::vector<double> eta(kBlock);
  std::vector<std::int64_t> sums(map->size());
  for (auto _ : state) {
    map->project(Rows(values, c.d), features);
    simd::inner_products(features.data(), kBlock, map->size(), dual.data(), eta.data());
    simd::add_features(features.data(), kBlock, map->size(), keep.data(), sums.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBlock));
}

constexpr std::size_t kModels = 1000;
constexpr std::size_t kModelFeatures = 2048;

// One row against a thousand models: bytes_per_second of their duals, 8 MB, beside what a bare sum of as many reads.
void many_models(benchmark::State& state) {
  const Case c{"", MapKind::fourier, 10, kModelFeatures / 2, 1};
  const SharedMap map = map_of(c);
  const std::vector<float> values = normals(c.d, 3);
  MeanMap mean(map);
  mean.add(Rows(values, c.d));
  ManyModels models(map);
  for (std::size_t m = 0; m < kModels; ++m) models.add(mean);
  for (auto _ : state) benchmark::DoNotOptimize(models.similarity(values));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kModels * kModelFeatures * sizeof(float)));
}
void read_memory(benchmark::State& state) {
  const std::vector<std::uint64_t> words(kModels * kModelFeatures / 2, 1);
  for (auto _ : state) {
    std::uint64_t lanes[32] = {};
    for (std::size_t j = 0; j < words.size(); j += 32) {
      for (std::size_t l = 0; l < 32; ++l) lanes[l] += words[j + l];
    }
    benchmark::DoNotOptimize(lanes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(words.size() * sizeof(std::uint64_t)));
}

}  // namespace
}  // namespace expose

int main(int argc, char** argv) {
  for (const expose::Case& c : expose::kCases) {
    const std::string name = c.name;
    benchmark::RegisterBenchmark(("learn " + name).c_str(), expose::learn, c);
    benchmark::RegisterBenchmark(("judge " + name).c_str(), expose::judge, c);
    benchmark::RegisterBenchmark(("judge one row at a time, " + name).c_str(), expose::judge_one, c);
    if (c.kind == expose::MapKind::nystrom) {
      benchmark::RegisterBenchmark(("gate and learn " + name).c_str(), expose::gate, c);
    } else {
      benchmark::RegisterBenchmark(("watch one row at a time, " + name).c_str(), expose::watch_one, c);
    }
  }
  benchmark::RegisterBenchmark("one row, 1000 models of 2048 features", expose::many_models);
  benchmark::RegisterBenchmark("read as much memory", expose::read_memory);
  benchmark::AddCustomContext("target", expose::simd::target());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// Rows a second of the inner loops on one core: what a map and a mean cost, before any detector.
// build/release/bench/loops [--benchmark_filter=judge]; items_per_second is rows a second.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/map/feature_map.hpp"
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
    {"nystrom d=127 r=1000", MapKind::nystrom, 127, 1000, 5000},
};

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

SharedMap map_of(const Case& c) {
  Recipe recipe{.kind = c.kind, .d = c.d, .r = c.r, .kernel = Gaussian{std::sqrt(static_cast<double>(c.d))}, .seed = 1};
  if (c.kind == MapKind::nystrom) recipe.landmarks = normals(c.r * c.d, 2);
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

}  // namespace
}  // namespace expose

int main(int argc, char** argv) {
  for (const expose::Case& c : expose::kCases) {
    const std::string name = c.name;
    benchmark::RegisterBenchmark(("learn " + name).c_str(), expose::learn, c);
    benchmark::RegisterBenchmark(("judge " + name).c_str(), expose::judge, c);
    benchmark::RegisterBenchmark(("judge one row at a time, " + name).c_str(), expose::judge_one, c);
  }
  benchmark::AddCustomContext("target", expose::simd::target());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// Rows a second of a stream on one core: judge each row, then learn it.
// build/release/bench/watcher_bench [--benchmark_filter=fading]; items_per_second is rows a second.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/detector/watcher.hpp"
#include "expose/simd/target.hpp"

namespace expose {
namespace {

struct Case {
  const char* name;
  std::size_t d;
  Options options;
};

const std::vector<Case> kCases = {
    {"everything nystrom d=10 r=256", 10, {}},
    {"everything fourier d=10 r=2048", 10, {.map = MapKind::fourier}},
    {"window:1000 fourier d=10 r=2048", 10, {.memory = Window{1000}}},
    {"fading:0.01 fourier d=10 r=2048", 10, {.memory = Fading{0.01}}},
    {"fading:0.01 sorf d=100 r=2048", 100, {.memory = Fading{0.01}}},
};

void watch(benchmark::State& state, const Case& c) {
  constexpr std::size_t kRows = 2000;
  Random random(1, 0);
  std::vector<double> values(kRows * c.d);
  for (double& value : values) value = random.normal();
  const Records rows(values, c.d);
  Watcher watcher(plan(rows, c.options));
  watcher.watch(rows);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(watcher.watch(std::span(values).subspan(i * c.d, c.d)));
    i = (i + 1) % kRows;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

}  // namespace
}  // namespace expose

int main(int argc, char** argv) {
  for (const expose::Case& c : expose::kCases) {
    benchmark::RegisterBenchmark((std::string("watch ") + c.name).c_str(), expose::watch, c);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("target", expose::simd::target());
  benchmark::RunSpecifiedBenchmarks();
}

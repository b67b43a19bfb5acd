// One small fixed workload of an inner loop, for tools/instruction_counts.py, which counts the instructions of `count`.
// build/release/bench/instruction_counts_bench NAME; without a name: the list of them. Everything that is only
// preparation lies outside of `count`.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/map/feature_map.hpp"
#include "expose/mean/mean_map.hpp"

namespace expose {
namespace {

struct Workload {
  const char* name;
  MapKind kind;
  std::size_t d, r;
  enum { learn, judge, watch } job;
};

constexpr std::size_t kRows = 120;

constexpr Workload kWorkloads[] = {
    {"learn fourier", MapKind::fourier, 10, 1024, Workload::learn},
    {"judge fourier", MapKind::fourier, 10, 1024, Workload::judge},
    {"learn sorf", MapKind::sorf, 127, 2048, Workload::learn},
    {"judge sorf", MapKind::sorf, 127, 2048, Workload::judge},
    {"learn nystrom", MapKind::nystrom, 10, 256, Workload::learn},
    {"judge nystrom", MapKind::nystrom, 10, 256, Workload::judge},
    {"one row fourier", MapKind::fourier, 10, 1024, Workload::watch},
    {"one row sorf", MapKind::sorf, 127, 2048, Workload::watch},
};

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

struct Stage {
  MeanMap mean;
  Folded folded;
  std::vector<double> eta;
};

}  // namespace

// Not inlined and with a name of its own: what the counter watches.
extern "C" __attribute__((noinline)) void count(const Workload& work, Rows rows, Stage& stage) {
  const FeatureMap& map = stage.mean.map();
  switch (work.job) {
    case Workload::learn:
      return stage.mean.add(rows);
    case Workload::judge:
      return map.similarity(rows, stage.folded, stage.eta);
    case Workload::watch:
      for (std::size_t i = 0; i < rows.n(); ++i) stage.eta[i] = stage.mean.watch(rows[i]);
  }
}

void run(const Workload& work) {
  Recipe recipe{.kind = work.kind, .d = work.d, .r = work.r, .kernel = Gaussian{std::sqrt(work.d)}, .seed = 1};
  if (work.kind == MapKind::nystrom) recipe.landmarks = normals(work.r * work.d, 2);
  const SharedMap map = make_map(recipe);
  const std::vector<float> values = normals(kRows * work.d, 3);
  const Rows rows(values, work.d);
  Stage stage{MeanMap(map), {}, std::vector<double>(kRows)};
  stage.mean.add(rows);  // the buffers of this thread have their size from here on
  stage.folded = map->fold(stage.mean.mean());
  map->similarity(rows, stage.folded, stage.eta);
  if (work.job == Workload::watch) stage.mean.watch(rows[0]);
  count(work, rows, stage);
}

}  // namespace expose

int main(int argc, char** argv) {
  for (const expose::Workload& work : expose::kWorkloads) {
    if (argc < 2) std::puts(work.name);
    if (argc > 1 && std::strcmp(argv[1], work.name) == 0) {
      expose::run(work);
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}

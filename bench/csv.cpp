// Megabytes a second of csv, from a file to rows of doubles; bytes_per_second is of text.
// build/release/bench/csv_bench [--benchmark_filter=short] times synthetic tables. With EXPOSE_CSV=FILE it times that
// file.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "expose/base/pool.hpp"
#include "expose/base/random.hpp"
#include "io/table_reader.hpp"

namespace expose::io {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;

// Ten columns of numbers in this printf format.
std::string make_table(const std::string& name, const char* format) {
  const std::string path = (std::filesystem::temp_directory_path() / ("expose_bench_" + name + ".csv")).string();
  std::string text = "a,b,c,d,e,f,g,h,i,j\n";
  Random random(1, 0);
  char field[64];
  while (text.size() < kBytes) {
    for (int c = 0; c < 10; ++c) {
      std::snprintf(field, sizeof field, format, 1000 * random.normal());
      text += field;
      text += c < 9 ? ',' : '\n';
    }
  }
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

Layout all_numbers(std::size_t columns) {
  Layout layout;
  for (std::size_t c = 0; c < columns; ++c) layout.columns.push_back({Want::number, c});
  layout.width = columns;
  return layout;
}

void read(benchmark::State& state, const std::string& path, std::size_t threads) {
  Pool pool(threads);
  std::size_t rows = 0;
  for (auto _ : state) {
    const auto reader = open_table({path}, {.pool = &pool});
    reader->expect(all_numbers(reader->names().size()));
    TableBlock block;
    rows = 0;
    while (reader->next(block)) {
      rows += block.rows();
      benchmark::DoNotOptimize(block.numbers(0));
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * std::filesystem::file_size(path)));
  state.counters["rows"] = static_cast<double>(rows);
}

}  // namespace
}  // namespace expose::io

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::pair<std::string, std::string>> tables;
  if (const char* const file = std::getenv("EXPOSE_CSV")) {
    tables.emplace_back("file", file);
  } else {
    tables.emplace_back("integers", expose::io::make_table("integers", "%.0f"));
    tables.emplace_back("short", expose::io::make_table("short", "%.3f"));
    tables.emplace_back("full", expose::io::make_table("full", "%.17g"));
  }
  for (const auto& [name, path] : tables) {
    for (const std::size_t threads : {1, 2}) {
      benchmark::RegisterBenchmark((name + " threads=" + std::to_string(threads)).c_str(), expose::io::read, path,
                                   threads)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  if (std::getenv("EXPOSE_CSV") == nullptr) {
    for (const auto& table : tables) std::filesystem::remove(table.second);
  }
}

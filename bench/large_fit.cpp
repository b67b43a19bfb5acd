// Fits many generated rows of 10 columns block by block: rows a second, and the peak of memory, which must not grow.
// build/release/bench/large_fit_bench [ROWS]; 50 million rows unless told otherwise.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "expose/detector/detector.hpp"

namespace {

constexpr std::size_t kColumns = 10;
constexpr std::size_t kBlock = 65536;

// Four clusters; cheap to draw, and every row differs.
class Generator final : public expose::Source {
 public:
  explicit Generator(std::size_t rows) : rows_(rows), values_(kBlock * kColumns) {}

  expose::Records next() override {
    const std::size_t n = std::min(kBlock, rows_ - done_);
    for (std::size_t i = 0; i < n; ++i) {
      const auto cluster = static_cast<float>((done_ + i) % 4);
      for (std::size_t k = 0; k < kColumns; ++k) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        values_[i * kColumns + k] = 3 * cluster + static_cast<float>(state_ >> 40) * 0x1p-24F;
      }
    }
    done_ += n;
    return expose::Rows(values_.data(), n, kColumns);
  }
  bool rewind() override {
    done_ = 0;
    state_ = 1;
    return true;
  }

 private:
  std::size_t rows_;
  std::size_t done_ = 0;
  std::uint64_t state_ = 1;
  std::vector<float> values_;
};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50'000'000;
  std::printf("%12s %14s %10s\n", "rows", "rows a second", "peak MB");
  for (const std::size_t rows : {most / 50, most / 7, most}) {
    Generator generator(rows);
    const auto start = std::chrono::steady_clock::now();
    const expose::Detector detector = expose::fit(generator);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%12.0f %14.0f %10.1f\n", detector.weight(), static_cast<double>(rows) / seconds, peak_megabytes());
    std::fflush(stdout);
  }
  return 0;
}

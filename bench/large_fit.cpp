// Learns many generated rows of 10 columns in one pass, block by block, with the default detector: rows a second must
// stay and the peak of memory must not grow. build/release/bench/large_fit [THREADS [ROWS]..]; 0: all cores; 1, 10 and
// 100 million rows unless told otherwise.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "expose/detector/detector.hpp"

namespace {

constexpr std::size_t kColumns = 10;
constexpr std::size_t kBlock = 65536;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Four clusters; cheap to draw, and every row differs. Cannot be rewound, so each row is seen once.
class Generator final : public expose::Source {
 public:
  explicit Generator(std::size_t rows) : rows_(rows), values_(kBlock * kColumns) {}

  expose::Records next() override {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t n = std::min(kBlock, rows_ - done_);
    for (std::size_t i = 0; i < n; ++i) {
      const auto cluster = static_cast<float>((done_ + i) % 4);
      for (std::size_t k = 0; k < kColumns; ++k) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        values_[i * kColumns + k] = 3 * cluster + static_cast<float>(state_ >> 40) * 0x1p-24F;
      }
    }
    done_ += n;
    seconds_ += seconds_since(start);
    return expose::Rows(values_.data(), n, kColumns);
  }
  bool rewind() override { return false; }
  // Spent drawing rows.
  double seconds() const { return seconds_; }

 private:
  std::size_t rows_;
  std::size_t done_ = 0;
  std::uint64_t state_ = 1;
  double seconds_ = 0.0;
  std::vector<float> values_;
};

// Of this program alone: what getrusage says holds the process that started it, too. 0 where there is no /proc.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::vector<std::size_t> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {1'000'000, 10'000'000, 100'000'000};
  std::printf("%12s %10s %14s %18s %10s\n", "rows", "seconds", "rows a second", "seconds generating", "peak MB");
  for (const std::size_t rows : sizes) {
    Generator generator(rows);
    const auto start = std::chrono::steady_clock::now();
    const expose::Detector detector = expose::fit(generator, {.threads = threads});
    const double seconds = seconds_since(start);
    std::printf("%12.0f %10.3f %14.0f %18.3f %10.1f\n", detector.weight(), seconds, detector.weight() / seconds,
                generator.seconds(), peak_megabytes());
    std::fflush(stdout);
  }
  return 0;
}

// Seconds of processor time that detect takes on one core, and where they go: generated tables of two shapes.
// build/release/bench/detect_bench [ROUNDS]; of 5 rounds, unless told otherwise, the fastest counts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/detector/detector.hpp"

namespace {

// Eight clusters, one row in a hundred far from all.
std::vector<double> table(std::size_t n, std::size_t d) {
  expose::Random random(1, 0);
  std::vector<double> values(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    const double width = i % 100 == 0 ? 8.0 : 1.0;
    for (std::size_t k = 0; k < d; ++k) {
      values[i * d + k] = static_cast<double>((i % 8 >> k % 3) & 1) * 4.0 + width * random.normal();
    }
  }
  return values;
}

template <class Work>
double fastest(int rounds, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const std::clock_t start = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

void measure(std::size_t n, std::size_t d, int rounds) {
  const std::vector<double> values = table(n, d);
  const expose::Records rows(values, d);
  const expose::Options options{.threads = 1};
  const expose::Plan plan = expose::plan(rows, options);
  expose::Detector fitted(plan, 1);
  fitted.learn(rows);
  std::printf("%8zu x %3zu", n, d);
  std::printf(" %8.3f", fastest(rounds, [&] { expose::plan(rows, options); }));
  std::printf(" %8.3f", fastest(rounds, [&] { expose::Detector(plan, 1).learn(rows); }));
  std::printf(" %8.3f", fastest(rounds, [&] { fitted.judge(rows); }));
  std::printf(" %8.3f\n", fastest(rounds, [&] { expose::detect(rows, options); }));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  std::printf("%14s %8s %8s %8s %8s\n", "rows", "plan", "learn", "judge", "detect");
  measure(286048, 10, rounds);
  measure(158309, 127, rounds);
  return 0;
}

// trust_rows: when does r suffice for the order of normal rows? Called by experiments/trust.py.
//
// usage: trust_rows FAMILY ROWS SEEDS KIND
// Fits ROWS rows of a family (experiments/families.hpp) with a random map of r = 64 .. 8192 and prints, for each seed
// and r: r, noise / spread and r_needed as trust() says them, and the rank correlation, over 500 new rows that pass the
// gate, of the model's similarities with the exact kernel's mean over the rows learned.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <expose/expose.hpp>

#include "experiments/families.hpp"

namespace {

constexpr std::size_t kJudged = 500;

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> rank(values.size());
  for (std::size_t place = 0; place < order.size(); ++place) rank[order[place]] = static_cast<double>(place);
  return rank;
}

// 1 - 6 sum d^2 / (n (n^2 - 1))
double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const auto n = static_cast<double>(x.size());
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * squares / (n * (n * n - 1));
}

// The rows that pass the gate, scaled.
std::vector<float> inside(const expose::Plan& plan, const families::Table& table) {
  std::vector<float> scaled(table.records().n() * plan.d()), kept;
  plan.scaler().apply(table.records(), scaled);
  const expose::Rows rows(scaled, plan.d());
  const std::vector<double> eta =
      plan.gatekeeper() ? plan.gatekeeper()->similarity(rows) : std::vector<double>(rows.n(), 1.0);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (plan.admits(eta[i])) kept.insert(kept.end(), rows[i].begin(), rows[i].end());
  }
  return kept;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) throw std::runtime_error("usage: trust_rows FAMILY ROWS SEEDS KIND");
  const std::string family = argv[1];
  const families::Table table = families::draw(family, std::stoul(argv[2]), 1),
                        news = families::draw(family, kJudged, 2);
  for (std::uint64_t seed = 0; seed < std::stoull(argv[3]); ++seed) {
    for (std::size_t r = 64; r <= 8192; r *= 2) {
      expose::Options options;
      options.map = expose::map_named(argv[4]);
      options.r = r;
      options.seed = seed;
      options.threads = 1;
      const expose::Detector detector = expose::fit(table.records(), options);
      const expose::Plan& plan = detector.plan();
      const std::vector<float> learned = inside(plan, table), judged = inside(plan, news);
      const expose::Rows x(judged, plan.d()), z(learned, plan.d());
      std::vector<double> exact(x.n());
      for (std::size_t i = 0; i < x.n(); ++i) {
        for (std::size_t j = 0; j < z.n(); ++j) exact[i] += expose::evaluate(plan.kernel(), x[i], z[j]);
      }
      const expose::Trust trust = detector.trust();
      std::printf("%zu %.6g %zu %.4f\n", r, trust.noise / trust.spread, trust.r_needed,
                  spearman(expose::Similarity(detector.mean()).of(x), exact));
    }
  }
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "trust_rows: %s\n", problem.what());
  return 1;
}

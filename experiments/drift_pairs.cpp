// drift_pairs: many pairs of samples, and what drift says about each. Called by experiments/drift.py.
//
// usage: drift_pairs FAMILY ROWS PAIRS PLAN SHIFT [FIRST] [ROWS]
// FAMILY: gaussian, heavy, clusters (10 columns each). PLAN: own (made from a's rows) or third (from other rows of the
// family). b is moved by SHIFT standard deviations in one column, which changes from pair to pair. Prints a line for
// each pair, from number FIRST on: the p-value, the column that moved, the column named first (0 0 where nothing
// moves). The rows of each pair, those of a and then those of b, are appended to the file ROWS as doubles, for others
// to judge.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include <expose/expose.hpp>

#include "experiments/families.hpp"
#include "expose/detector/comparing.hpp"

int main(int argc, char** argv) try {
  if (argc < 6) throw std::runtime_error("usage: drift_pairs FAMILY ROWS PAIRS own|third SHIFT [FIRST] [ROWS]");
  const std::string family = argv[1], whose = argv[4];
  const std::size_t rows = std::stoul(argv[2]), pairs = std::stoul(argv[3]);
  const double shift = std::stod(argv[5]);
  const std::uint64_t begin = argc > 6 ? std::stoull(argv[6]) : 0;
  for (std::size_t pair = begin; pair < begin + pairs; ++pair) {
    const std::size_t column = pair % families::kColumns;
    const families::Table a = families::draw(family, rows, 3 * pair);
    families::Table b = families::draw(family, rows, 3 * pair + 1);
    families::move(b, column, shift);
    if (argc > 7) {
      std::ofstream file(argv[7], std::ios::binary | std::ios::app);
      for (const families::Table* table : std::initializer_list<const families::Table*>{&a, &b}) {
        file.write(reinterpret_cast<const char*>(table->values.data()),
                   static_cast<std::streamsize>(table->values.size() * sizeof(double)));
      }
    }
    expose::Options options;
    options.threads = 1;
    const expose::Plan plan =
        expose::plan(whose == "own" ? a.records() : families::draw(family, rows, 3 * pair + 2).records(), options);
    expose::Detector model_a(plan, 1), model_b(plan, 1);
    model_a.learn(a.records());
    model_b.learn(b.records());
    if (shift == 0) {
      std::printf("%.10g 0 0\n", expose::drift_p_value(model_a, model_b));
      continue;
    }
    const expose::Drift drift = expose::drift(model_a, model_b);
    const auto first = std::max_element(drift.features.begin(), drift.features.end()) - drift.features.begin();
    std::printf("%.10g %zu %td\n", drift.p_value, column, first);
  }
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "drift_pairs: %s\n", problem.what());
  return 1;
}

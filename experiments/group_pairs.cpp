// group_pairs: many models, and for each one group of new rows of every size. Called by experiments/groups.py.
//
// usage: group_pairs FAMILY ROWS MODELS SHIFT SIZE.. [map=KIND]
// Fits ROWS rows of a family (experiments/families.hpp), draws a group of each size, moved by SHIFT in every column,
// and prints a line for each model: for every size the p-value of the group and, after it, size times the lowest
// p-value of its rows (what judging row by row would say, by Bonferroni).
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <expose/expose.hpp>

#include "experiments/families.hpp"

int main(int argc, char** argv) try {
  if (argc < 6) throw std::runtime_error("usage: group_pairs FAMILY ROWS MODELS SHIFT SIZE.. [map=KIND]");
  const std::string family = argv[1];
  const std::size_t rows = std::stoul(argv[2]), models = std::stoul(argv[3]);
  const double shift = std::stod(argv[4]);
  expose::Options options;
  options.threads = 1;
  std::vector<std::size_t> sizes;
  for (int i = 5; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("map=")) {
      options.map = expose::map_named(word.substr(4));
    } else {
      sizes.push_back(std::stoul(word));
    }
  }
  for (std::size_t model = 0; model < models; ++model) {
    const expose::Detector detector =
        expose::fit(families::draw(family, rows, 1000000 + 100 * model).records(), options);
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      families::Table group = families::draw(family, sizes[s], 1000001 + 100 * model + s);
      for (std::size_t k = 0; k < families::kColumns; ++k) families::move(group, k, shift);
      double lowest = 1;
      for (const expose::Verdict& verdict : detector.judge(group.records())) lowest = std::min(lowest, verdict.p_value);
      std::printf("%.10g %.10g%c", detector.judge_group(group.records()).p_value,
                  std::min(1.0, lowest * static_cast<double>(sizes[s])), s + 1 == sizes.size() ? '\n' : ' ');
    }
  }
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "group_pairs: %s\n", problem.what());
  return 1;
}

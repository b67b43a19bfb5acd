// Small detectors for the tests of files: quick to make, and with something in every section.
#pragma once

#include <cstddef>
#include <vector>

#include "expose/detector/detector.hpp"
#include "expose/detector/row_hash.hpp"
#include "tests/support/tables.hpp"

namespace expose {

// n rows of two normal columns with a constant one between them, which a plan drops.
inline Table small_table(std::size_t n = 60, std::uint64_t seed = 1) {
  Table table = normal_table(n, 3, seed);
  for (std::size_t i = 0; i < n; ++i) table.values[i * 3 + 1] = 7.0F;
  return table;
}

inline Options small_options(MapKind kind = MapKind::nystrom, const Kernel& kernel = Gaussian{}) {
  Options options;
  options.map = kind;
  options.kernel = kernel;
  options.r = 10;
  options.seed = 5;
  options.threads = 1;
  return options;
}

// With a gate, and with the first row of small_table() as one that the plan calls frequent.
inline Plan small_plan(const Options& options = small_options()) {
  const Table table = small_table();
  Plan::Parts parts = plan(table.rows(), options).parts();
  std::vector<double> canonical(table.d);
  parts.frequent = {hash_row(table.rows(), 0, parts.seed, canonical)};
  return Plan(parts);
}

// It has learned small_table().
inline Detector small_detector(const Options& options = small_options()) {
  Detector detector(small_plan(options), 1);
  detector.learn(small_table().rows());
  return detector;
}

}  // namespace expose

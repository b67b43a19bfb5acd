// Labelled: the rows that tuning looks at, by class in the order of their hashes, so that the order they came in is not
// seen. draw_sample: the sample that a plan of some rows is made on, for those who make many plans of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expose/base/records.hpp"
#include "expose/detector/tune.hpp"

namespace expose {

struct Labelled {
  std::vector<double> values;   // row after row, the anomalies first
  std::vector<bool> in_sample;  // such a row is left out of its own judgement
  bool all_in_sample = true;
  std::size_t anomalies = 0;
  std::size_t normals = 0;
};
// REQUIRES: labels.size() == rows.n()
Labelled gather_labelled(const Records& rows, std::span<const Label> labels, const Records& sample, std::uint64_t seed,
                         Missing missing);

// Of the good rows; empty if there is none.
std::vector<double> draw_sample(const Records& rows, std::uint64_t seed, Missing missing);

}  // namespace expose

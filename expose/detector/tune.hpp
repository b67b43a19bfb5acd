// tune: chooses kernel, scaling and bandwidth with the help of a few labelled rows (paper, "Batch Anomaly Detection").
//
// Labels only choose: a candidate is planned and fitted without them, as always, and asked how well it ranks the
// labelled rows. So its AUC on them is already that of leave-pair-out cross-validation. A coarse grid comes first, then
// a pattern search in the bandwidth from its best point: a search from one start gets stuck.
// Few labels say little: the default stays unless a candidate is better by more than the standard error of the gain.
// The same rows and labels give the same answer, in any order of the rows, on any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expose/base/records.hpp"
#include "expose/detector/options.hpp"

namespace expose {

enum class Label : std::uint8_t { unlabelled, normal, anomaly };

// A candidate and how it ranked the labelled rows.
struct Trial {
  Options options;     // with its bandwidth as a number
  double auc = 0.0;    // of the labelled rows
  double gain = 0.0;   // auc beyond that of the start
  double error = 0.0;  // the standard error of the gain
};

struct Tuned {
  Options options;            // for fit or detect of the same rows
  double auc = 0.0;           // cross-validated: of the choice made without the labels that it is measured on
  double auc_of_start = 0.0;  // of the labelled rows with the options that tuning started from
  std::size_t anomalies = 0;  // labelled rows that were looked at
  std::size_t normals = 0;    //   (bad rows and those beyond kMostLabels are not)
  std::vector<Trial> trials;  // in the order they were tried; the first is the start
};

// Of each class at most so many labelled rows are looked at, those with the smallest hashes.
inline constexpr std::size_t kMostLabels = 2000;

// labels: one a row. What `start` fixes stays: a bandwidth, a scale, a kernel other than the Gaussian (or any, with
// fixed_kernel), and everything but these three; the preset paper leaves only the bandwidth open.
// Throws Code::shape_mismatch for another number of labels than rows, Code::invalid_argument for fewer than 2 good rows
// of either class.
EXPOSE_API Tuned tune(Records rows, std::span<const Label> labels, const Options& start = {},
                      bool fixed_kernel = false);

}  // namespace expose

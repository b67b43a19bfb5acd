// How well similarities tell anomalies from normal rows whose labels are known: the area under the ROC curve (AUC), the
// average precision, the balanced accuracy of flags; and how sure one may be that one ranking is better than another.
//
// AUC = the share of pairs (anomaly, normal row) in which the anomaly is less similar, ties counting half.
// Pure functions of numbers; the order of the rows changes no bit of a figure. Any number of threads may call them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expose/base/api.hpp"

namespace expose {

// For each anomaly the share of normal rows above it, for each normal row the share of anomalies below it (DeLong's
// structural components). The mean of either is the AUC.
struct Placements {
  std::vector<double> anomalies;
  std::vector<double> normals;
};
// REQUIRES: neither is empty; numbers, no NaN
EXPOSE_API Placements placements(std::span<const double> anomalies, std::span<const double> normals);

// REQUIRES: as placements
EXPOSE_API double auc(std::span<const double> anomalies, std::span<const double> normals);

// sum_t (recall_t - recall_{t-1}) precision_t over the distinct similarities t, the least one first, where the rows up
// to t are called anomalies: rows of one similarity come together, however many. So does scikit-learn's
// average_precision_score. A ranking by chance has the share of anomalies among the rows, a perfect one 1.
// REQUIRES: as placements
EXPOSE_API double average_precision(std::span<const double> anomalies, std::span<const double> normals);

// What became of the rows whose labels are known.
struct FlagCounts {
  std::size_t flagged_anomalies = 0;
  std::size_t missed_anomalies = 0;
  std::size_t flagged_normals = 0;
  std::size_t passed_normals = 0;
};
// The mean of the share of anomalies that are flagged and the share of normal rows that are not: 1/2 for flags by
// chance, of whichever share of the rows. REQUIRES: there is an anomaly and a normal row
EXPOSE_API double balanced_accuracy(const FlagCounts& counts);

// AUC(a) - AUC(b) for two rankings of the same rows, and its standard error: E. DeLong, D. DeLong, D. Clarke-Pearson,
// "Comparing the areas under two or more correlated ROC curves", Biometrics 1988.
struct Gain {
  double auc = 0.0;
  double error = 0.0;
};
// REQUIRES: at least 2 of each class, the same in both
EXPOSE_API Gain gain(const Placements& a, const Placements& b);

}  // namespace expose

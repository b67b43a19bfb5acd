// How well similarities tell anomalies from normal rows whose labels are known: the area under the ROC curve (AUC), and
// how sure one may be that one ranking is better than another.
//
// AUC = the share of pairs (anomaly, normal row) in which the anomaly is less similar, ties counting half.
// Pure functions of numbers; the order of the rows changes no bit of an AUC. Any number of threads may call them.
#pragma once

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

// AUC(a) - AUC(b) for two rankings of the same rows, and its standard error: E. DeLong, D. DeLong, D. Clarke-Pearson,
// "Comparing the areas under two or more correlated ROC curves", Biometrics 1988.
struct Gain {
  double auc = 0.0;
  double error = 0.0;
};
// REQUIRES: at least 2 of each class, the same in both
EXPOSE_API Gain gain(const Placements& a, const Placements& b);

}  // namespace expose

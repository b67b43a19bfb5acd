// Drift: how two models of one plan differ, and whether rows of one kind could have led to both.
#pragma once

#include <vector>

namespace expose {

struct Drift {
  double mmd = 0.0;              // |mu_a - mu_b|; the rows that the gate turned away count as one more feature
  double p_value = 1.0;          // how often two samples of the same kind are this far apart; low = drift
  std::vector<double> features;  // share of each input column in what moved: >= 0, together 1, or all 0
  bool operator==(const Drift&) const = default;
};

}  // namespace expose

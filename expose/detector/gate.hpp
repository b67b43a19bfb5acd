// Gate: who may enter a batch model. A row enters iff it is at least `threshold` similar to the inner rows of the
// plan's sample: the robust refit, done once on the sample, so that learning stays an addition and can be undone.
//
// Gatekeeper: a gate made ready for asking. One formula for all who ask, so that a row that was let in when it was
// learned is let in when it is judged or forgotten, to the bit. Immutable; any number of threads may share one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expose/detector/missing.hpp"
#include "expose/mean/mean_map.hpp"

namespace expose {

struct Gate {
  MeanMap inner;
  double threshold = 0.0;
};

class Gatekeeper {
 public:
  // unknown: what stands for missing values (NaN) in scaled rows; without it there are none.
  explicit Gatekeeper(const MeanMap& inner, std::optional<Unknown> unknown = {});

  // The similarity of rows to the inner rows: scaled rows, or their features as `project` (missing.hpp) gives them.
  std::vector<double> similarity(Rows scaled) const;
  std::vector<double> similarity(std::span<const float> features) const;

 private:
  SharedMap map_;
  std::optional<Unknown> unknown_;
  std::vector<float> dual_;
};

// The robust refit, on the sample, scaled and in the order of its hashes: rows that are least like the others leave the
// mean, and what is left judges again; in the end a share `trim` is outside. No gate for trim = 0.
std::optional<Gate> make_gate(const SharedMap& map, const std::optional<Unknown>& unknown, Rows sample, double trim);

}  // namespace expose

// Gate: who may enter a batch model. A row enters iff it is at least `threshold` similar to the inner rows of the
// plan's sample: the robust refit, done once on the sample, so that learning stays an addition and can be undone.
//
// Gatekeeper: a gate made ready for asking. One formula for all who ask, so that a row that was let in when it was
// learned is let in when it is judged or forgotten, to the bit. Immutable; any number of threads may share one.
#pragma once

#include <span>
#include <vector>

#include "expose/mean/mean_map.hpp"

namespace expose {

struct Gate {
  MeanMap inner;
  double threshold = 0.0;
};

class Gatekeeper {
 public:
  explicit Gatekeeper(const MeanMap& inner);

  // The similarity of rows to the inner rows: scaled rows, or their features as the map projects them.
  std::vector<double> similarity(Rows scaled) const;
  std::vector<double> similarity(std::span<const float> features) const;

 private:
  SharedMap map_;
  std::vector<float> dual_;
};

}  // namespace expose

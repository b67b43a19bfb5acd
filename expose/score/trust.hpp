// Trust: whether a random map has enough frequencies for the order of normal rows to mean something.
//
// Another seed would give every similarity another value. Anomalies stand far below the rest and are found all the
// same; which of two normal rows is the less normal one is known only if the differences are larger than that noise.
// A plain value; trust may be called by any number of threads.
#pragma once

#include <cstddef>

#include "expose/score/similarity.hpp"

namespace expose {

struct Trust {
  double noise = 0.0;        // Monte Carlo error of a normal row's similarity, the median; 0 for Nystrom
  double spread = 0.0;       // of the similarities of normal rows: the middle half / 1.349, sd if they were normal
  bool enough = true;        // noise <= kNoiseShare spread; or no spread: half of the rows are alike, nothing to order
  std::size_t r_needed = 0;  // the r that would do, as noise falls with 1 / sqrt(r); the map's own if that is enough
  bool operator==(const Trust&) const = default;
};

// At this share the ranks of normal rows correlate by .9 or more with those of the exact kernel (docs/uncertainty.md).
inline constexpr double kNoiseShare = 0.35;

// Seen on some normal rows; where there are fewer than 2 nothing is known, and enough is true.
// variances: of the values of the rows, as error_bars takes them. Throws as error_bars does.
EXPOSE_API Trust trust(const Similarity& model, Rows normal, Rows variances, Pool* pool = nullptr);
inline Trust trust(const Similarity& model, Rows normal, Pool* pool = nullptr) {
  return trust(model, normal, {}, pool);
}

}  // namespace expose

// Threshold: which of the judged rows are flagged as anomalous.
//
// Alpha looks at a row alone. The others look at the batch the row came in, so the same row may be flagged in one batch
// and not in another; its p-value stays the same. Rows that were not judged (bad, or too early in a stream) are not
// eligible: they are never flagged and count as no row of the batch.
// Immutable values and pure functions; any number of threads may share them.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "expose/base/api.hpp"

namespace expose {

// p <= alpha: of normal rows, a share of alpha is flagged.
struct Alpha {
  double alpha = 0.01;
  bool operator==(const Alpha&) const = default;
};
// Of the flagged rows, a share of at most q is normal, on average over batches: Y. Benjamini and Y. Hochberg,
// "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995).
struct Fdr {
  double q = 0.0;
  bool operator==(const Fdr&) const = default;
};
// This share of the eligible rows, rounded to whole rows: the lowest p-values, then similarities, then earlier rows.
struct Contamination {
  double share = 0.0;
  bool operator==(const Contamination&) const = default;
};
// So many rows, or all eligible ones if they are fewer, in the same order.
struct Top {
  std::size_t count = 0;
  bool operator==(const Top&) const = default;
};

using Threshold = std::variant<Alpha, Fdr, Contamination, Top>;

// Throws Code::invalid_argument, naming the value: alpha, q and share must be above 0 and below 1, count at least 1.
EXPOSE_API void require_valid(const Threshold& threshold);

// For each row 1 if it is flagged, else 0. Throws as require_valid does, Code::shape_mismatch unless all three have one
// number a row, Code::invalid_argument for an eligible row with a p-value outside [0, 1] or a similarity that is NaN.
EXPOSE_API std::vector<char> flag(std::span<const double> p_values, std::span<const double> similarities,
                                  std::span<const char> eligible, const Threshold& threshold);

// p <= .001 for more than 5 % of the rows: either much is anomalous, or the model has dropped a small cluster of normal
// rows. Only the user can know which, so it is worth a warning.
EXPOSE_API bool much_looks_anomalous(std::span<const double> p_values);

}  // namespace expose

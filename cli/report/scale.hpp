// SimilarityScale: similarities as lengths along a drawing and as shades, the same in all drawings of a report.
//
// Themselves where they are of one size, else their logarithms. A plain value; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "expose/detector/verdict.hpp"

namespace expose::cli {

// Whether there is a similarity to be drawn.
bool is_judged(const Verdict& verdict);

struct SimilarityScale {
  bool logarithmic = false;
  double least = 0.0;  // smaller similarities stand where this one does
  double low = 0.0;    // lengths, low < high
  double high = 1.0;

  double length(double similarity) const;
  double similarity(double length) const;
  // 0 (most alike) to kShades - 1.
  std::size_t shade(double similarity) const;
};

// Nothing where no row was judged.
std::optional<SimilarityScale> scale_of(std::span<const Verdict> verdicts);

}  // namespace expose::cli

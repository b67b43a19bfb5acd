// ErrorBar: how far a similarity may be off, one standard error, in its two parts.
//   monte_carlo  the map's: another seed would give another eta. From the spread of the r terms eta is the mean of,
//                  eta(z) = (1/r) sum_j t_j,   t_j = cos p_j C_j + sin p_j S_j,   (C, S) the mean map;
//                sd(t) / sqrt(r) for independent frequencies (fourier). Structured maps draw them in blocks: there from
//                the spread of the block means. So for isolation, whose draws are partitions, with
//                  t_j = (r / t) phi_j m_j,   m the mean map. Nystrom has none: 0.
//   sampling     the rows': other n rows of the same kind would give another eta. Kernel values lie in [0, 1], so
//                their variance is at most eta (1 - eta), whatever their distribution.
// Plain values; error_bars may be called by any number of threads.
#pragma once

#include <vector>

#include "expose/score/similarity.hpp"

namespace expose {

struct EXPOSE_API ErrorBar {
  double monte_carlo = 0.0;
  double sampling = 0.0;  // infinite for an empty model
  double total() const;   // sqrt(monte_carlo^2 + sampling^2): the two are independent
};

// The error bar of each row's similarity to the model. variances: of the values of the rows, see
// FeatureMap::project_expected; empty: none. Throws as Similarity::of and Similarity::expected do.
EXPOSE_API std::vector<ErrorBar> error_bars(const Similarity& model, Rows rows, Rows variances, Pool* pool = nullptr);
inline std::vector<ErrorBar> error_bars(const Similarity& model, Rows rows, Pool* pool = nullptr) {
  return error_bars(model, rows, {}, pool);
}

}  // namespace expose

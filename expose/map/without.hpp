// What the dense maps share: the similarity of rows with each of their features unknown in turn (simd/without.hpp).
#pragma once

#include <memory>

#include "expose/map/feature_map.hpp"
#include "expose/simd/dense.hpp"

namespace expose {

// Null where its tables, features x frequencies, would take more than 64 MiB.
// REQUIRES: the profile is fourier or gaussian; `dense` outlives what is made
std::unique_ptr<const SimilarityWithout> share_work(const simd::Dense& dense, const Folded& folded,
                                                    const UnknownFeatures& unknown, double bandwidth);

}  // namespace expose

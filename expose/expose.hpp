// EXPoSE: expected similarity estimation. This one header is the whole public library.
//
// Rows go through a FeatureMap; its mean over the normal rows, a MeanMap, is the model; how alike a new row is to the
// rows learned, its Similarity, is one inner product with that mean.
#pragma once

#include "expose/base/error.hpp"
#include "expose/base/pool.hpp"
#include "expose/base/records.hpp"
#include "expose/base/rows.hpp"
#include "expose/base/version.hpp"
#include "expose/calibrate/conformal.hpp"
#include "expose/calibrate/tail.hpp"
#include "expose/calibrate/threshold.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/options.hpp"
#include "expose/detector/plan.hpp"
#include "expose/detector/source.hpp"
#include "expose/detector/verdict.hpp"
#include "expose/detector/watcher.hpp"
#include "expose/map/feature_map.hpp"
#include "expose/map/kernel.hpp"
#include "expose/mean/fading_mean.hpp"
#include "expose/mean/mean_map.hpp"
#include "expose/mean/memory.hpp"
#include "expose/mean/prefix_sums.hpp"
#include "expose/mean/window_mean.hpp"
#include "expose/scale/scaler.hpp"
#include "expose/score/bound.hpp"
#include "expose/score/error_bar.hpp"
#include "expose/score/many.hpp"
#include "expose/score/similarity.hpp"
#include "expose/simd/target.hpp"

// What learning and judging do to a block of rows alike: leave out bad rows, scale, ask the gate.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "expose/detector/detector.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

// Rows a worker takes at a time: scaled they stay in its cache.
inline constexpr std::size_t kBlock = 2048;

struct Detector::Ready {
  Similarity similarity;
  Conformal conformal;
};

struct Detector::Lazy {
  std::mutex mutex;
  std::shared_ptr<const Ready> ready;
};

// The good rows of a block: where they stand, and scaled.
struct GoodRows {
  std::vector<std::size_t> index;
  std::vector<float> scaled;
};
GoodRows scale_good_rows(const Scaler& scaler, const Records& rows);

// Which scaled rows the gate of the plan lets in; all if there is none.
std::vector<char> pass_gate(const Plan& plan, Rows scaled);

// Which rows are landmarks of the plan, which keeps them when they are forgotten.
std::vector<std::size_t> find_landmarks(const Plan& plan, const Records& rows);

}  // namespace expose

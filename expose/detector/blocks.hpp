// What learning and judging do to a block of rows alike: leave out bad rows, scale, ask the gate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "expose/detector/detector.hpp"
#include "expose/detector/weights.hpp"
#include "expose/mean/projected.hpp"

namespace expose {

struct Detector::Ready {
  Similarity similarity;
  Conformal conformal;
};

struct Detector::Lazy {
  std::mutex mutex;
  std::shared_ptr<const Ready> ready;
  std::shared_ptr<const GroupCalibration> groups;

  // Made outside the lock: making it runs on the pool and looks up, and whoever is called then may judge as well.
  // Threads that come at the same time make it each, all the same one, and keep the first.
  template <class T, class Make>
  std::shared_ptr<const T> once(std::shared_ptr<const T>& kept, const Make& make) {
    {
      const std::lock_guard lock(mutex);
      if (kept) return kept;
    }
    auto made = std::make_shared<const T>(make());
    const std::lock_guard lock(mutex);
    if (!kept) kept = std::move(made);
    return kept;
  }
};

// Rows in memory, with what fitting finds out about each: judging the same rows need not find it out again.
struct Detector::Given {
  Records rows;
  std::span<const std::int64_t> units = {};    // their weights; empty: 1 each
  std::span<const std::uint64_t> hashes = {};  // as hash_good_rows gives them; empty: not known
  std::span<char> admitted = {};               // did it pass the gate? learn writes it, judge reads it; empty: not kept
  bool all_finite = false;                     // whether that is known of all values
  Rows bars = {};                              // variances of the scaled values; empty: 0. Judged, never learned

  Given slice(std::size_t begin, std::size_t end) const {
    const auto part = [&](auto span) { return span.empty() ? span : span.subspan(begin, end - begin); };
    return {rows.slice(begin, end), part(units), part(hashes),
            part(admitted),         all_finite,  bars.empty() ? bars : bars.slice(begin, end)};
  }
};

// Calls take(begin, end, worker) for all n rows, a block a worker at a time.
template <class Take>
void in_blocks(Pool& pool, std::size_t n, const Take& take) {
  pool.run((n + kBlockRows - 1) / kBlockRows, [&](std::size_t block, std::size_t worker) {
    take(block * kBlockRows, std::min((block + 1) * kBlockRows, n), worker);
  });
}

// The good rows of a block: where they stand, and scaled (NaN: missing); and where rows stand of which no value that
// counts is known. What it held before is lost, but for the room it took.
struct GoodRows {
  std::vector<std::size_t> index;
  std::vector<float> scaled;
  std::vector<std::size_t> unknown;
  bool complete = false;  // nothing is missing

  // What stands for missing values in `scaled`; nothing if there are none, so that nobody looks for them again.
  const std::optional<Unknown>& stand_in(const Plan& plan) const {
    static const std::optional<Unknown> kNone;
    return complete ? kNone : plan.parts().unknown;
  }
};
// all_finite: whether that is known of all values.
void scale_good_rows(const Plan& plan, const Records& rows, GoodRows& good, bool all_finite = false);
inline GoodRows scale_good_rows(const Plan& plan, const Records& rows) {
  GoodRows good;
  scale_good_rows(plan, rows, good);
  return good;
}

// Which scaled rows the gate of the plan lets in; all if there is none.
std::vector<char> pass_gate(const Plan& plan, Rows scaled);

// Which rows are landmarks of the plan, which keeps them when they are forgotten.
std::vector<std::size_t> find_landmarks(const Plan& plan, const Records& rows);

}  // namespace expose

// WindowMean: Proposition 2, the mean of the last l rows. A row that comes in pushes the oldest out.
//
// It keeps the rows themselves (at most 2 l of them, d floats each), not their features, and sums that are exact: what
// is pushed out leaves no trace, and the state depends on the rows in the window alone, not on how they came.
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "expose/mean/mean_map.hpp"
#include "expose/mean/memory.hpp"

namespace expose {

class EXPOSE_API WindowMean {
 public:
  // How rows with missing values (NaN) become features, each row by itself: project(rows, features).
  using Project = std::function<void(Rows, std::span<float>)>;

  // Throws Code::invalid_argument for a window of 0 rows or a null map. Without `project` rows with NaN are bad rows.
  WindowMean(SharedMap map, Window window, Project project = {});

  const FeatureMap& map() const { return mean_.map(); }
  const SharedMap& shared_map() const { return mean_.shared_map(); }
  std::size_t length() const { return length_; }

  // The rows in the window, oldest first: learned by an empty window of this length, they give this one again.
  // A view, good until the next change.
  Rows rows() const { return Rows(buffer_.data() + begin_ * map().d(), held(), map().d()); }
  // Their number, at most length().
  double weight() const { return mean_.weight(); }
  // Memory of the rows held, those that have left but still lie there included: at most 2 l d floats.
  std::size_t bytes() const { return buffer_.capacity() * sizeof(float); }
  // Their mean, as a MeanMap and as numbers.
  const MeanMap& mean_map() const { return mean_; }
  std::vector<double> mean() const { return mean_.mean(); }

  // A block of rows gives what its rows would give one by one. Throws, and learns nothing, on bad rows.
  void learn(Rows rows, Pool* pool = nullptr);
  // The same for one row that is projected already, to the bit, without a second projection.
  // REQUIRES: row.n() == 1, and features are what map().project, or `project`, gives for it
  void learn_features(Rows row, std::span<const float> features);
  // Takes rows out of the window before their time: for each the oldest that equals it. The places stay free for rows
  // to come. Returns which those were, counted from 0, the oldest, in ascending order. O(l) a row.
  // Throws Code::not_found, and forgets nothing, if one is not in the window.
  std::vector<std::size_t> forget(Rows rows);

  friend bool operator==(const WindowMean& a, const WindowMean& b) {
    return a.length_ == b.length_ && a.mean_ == b.mean_ && a.same_rows(b);
  }

 private:
  std::size_t held() const { return buffer_.size() / map().d() - begin_; }
  void push(Rows arriving, const MeanMap& sums, Pool* pool);
  bool same_rows(const WindowMean& other) const;
  void require_good(Rows rows) const;
  MeanMap sum_of(Rows rows, Pool* pool) const;

  std::size_t length_;
  Project project_;
  MeanMap mean_;
  std::vector<float> buffer_;  // rows that have left, then the rows of the window, oldest first; at most 2 l
  std::size_t begin_ = 0;      // how many rows of the buffer have left
};

}  // namespace expose

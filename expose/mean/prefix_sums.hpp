// PrefixSums: checkpoints of a growing mean, and from any two of them the model of the time between: last Tuesday, or
// the hour before the incident, without keeping a row. Exact, because a mean map can be subtracted.
//
// For the memory Everything: mark the one mean that learns, in the order of time. 16 r bytes a mark (Nystrom: 8 r).
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstdint>
#include <vector>

#include "expose/mean/mean_map.hpp"

namespace expose {

class EXPOSE_API PrefixSums {
 public:
  // Remembers what had been learned by this time; the empty mean first, for intervals from the very beginning.
  // Throws, and marks nothing: Code::invalid_argument unless the time is later than every mark and the weight no less,
  // Code::incompatible for another map, Code::not_found if the mean has provably lost what the last mark had.
  void mark(std::int64_t time, const MeanMap& so_far);

  // The mean of what was learned after the mark at `from` up to the mark at `to`: p(t) - p(s).
  // Throws Code::not_found, naming the nearest marks, for a time without one, Code::invalid_argument for from > to.
  MeanMap between(std::int64_t from, std::int64_t to) const;

  // The times of the marks, ascending.
  std::vector<std::int64_t> times() const;
  // Gives up the marks before this time, and their bytes.
  void drop_before(std::int64_t time);

 private:
  struct Mark {
    std::int64_t time;
    MeanMap so_far;
  };
  const MeanMap& at(std::int64_t time) const;

  std::vector<Mark> marks_;  // times ascend
};

}  // namespace expose

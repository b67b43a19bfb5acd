#include "expose/mean/prefix_sums.hpp"

#include <algorithm>
#include <string>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"

namespace expose {

void PrefixSums::mark(std::int64_t time, const MeanMap& so_far) {
  if (!marks_.empty()) {
    const Mark& last = marks_.back();
    if (time <= last.time) {
      throw Error(Code::invalid_argument, "a mark at time " + std::to_string(time) +
                                              " cannot come after the mark at time " + std::to_string(last.time));
    }
    require_same_map(so_far.map(), last.so_far.map());
    if (so_far.weight() < last.so_far.weight()) {
      throw Error(Code::invalid_argument, "the mean at time " + std::to_string(time) + " weighs " +
                                              text(so_far.weight()) + ", less than the " + text(last.so_far.weight()) +
                                              " at the mark at time " + std::to_string(last.time));
    }
    // Only to let it throw: where every step from mark to mark is a mean, so is every longer interval.
    static_cast<void>(so_far - last.so_far);
  }
  marks_.push_back({time, so_far});
}

// p(s_1 .. s_b) - p(s_1 .. s_a) = p(s_{a+1} .. s_b)
MeanMap PrefixSums::between(std::int64_t from, std::int64_t to) const {
  if (from > to) {
    throw Error(Code::invalid_argument,
                "an interval cannot go from time " + std::to_string(from) + " back to time " + std::to_string(to));
  }
  const MeanMap& before = at(from);
  return at(to) - before;
}

std::vector<std::int64_t> PrefixSums::times() const {
  std::vector<std::int64_t> times;
  times.reserve(marks_.size());
  for (const Mark& mark : marks_) times.push_back(mark.time);
  return times;
}

void PrefixSums::drop_before(std::int64_t time) {
  std::erase_if(marks_, [time](const Mark& mark) { return mark.time < time; });
}

const MeanMap& PrefixSums::at(std::int64_t time) const {
  const auto next = std::lower_bound(marks_.begin(), marks_.end(), time,
                                     [](const Mark& mark, std::int64_t wanted) { return mark.time < wanted; });
  if (next != marks_.end() && next->time == time) return next->so_far;
  std::string nearest;
  if (next != marks_.begin()) nearest = std::to_string((next - 1)->time);
  if (next != marks_.end()) nearest += (nearest.empty() ? "" : " and ") + std::to_string(next->time);
  throw Error(Code::not_found, "there is no mark at time " + std::to_string(time) +
                                   (nearest.empty() ? "; there are none" : "; the nearest: " + nearest));
}

}  // namespace expose

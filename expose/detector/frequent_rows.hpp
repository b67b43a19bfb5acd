// FrequentCandidates: which hashes may have come often, found in one pass with a fixed number of counters.
//
// Misra & Gries, "Finding repeated elements", 1982, purged as Anderson et al. do, "A high-performance algorithm for
// identifying frequent items in data streams", 2017: when all counters are taken, the median is subtracted from each,
// and those that reach 0 become free. Invariant, in any order and after any merges: estimate <= true count <=
// estimate + error(), and error() <= 2 total() / counters. The estimates themselves depend on the order.
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace expose {

class FrequentCandidates {
 public:
  // REQUIRES: counters >= 2
  explicit FrequentCandidates(std::size_t counters);

  // REQUIRES: count >= 0, and all counts together are less than 2^63 (so for += too)
  void add(std::uint64_t hash, std::int64_t count = 1) {
    if (count == 0) return;
    total_ += count;
    raise(hash, count);
  }
  // This hash will be added soon: its counter may come nearer meanwhile. Changes nothing.
  void prefetch([[maybe_unused]] std::uint64_t hash) const {
#if defined(__GNUC__)
    __builtin_prefetch(&table_[hash & (table_.size() - 1)]);
#endif
  }
  // REQUIRES: equal numbers of counters
  FrequentCandidates& operator+=(const FrequentCandidates& other);

  std::int64_t total() const { return total_; }
  std::int64_t error() const { return error_; }

  // Every hash that came `least` times or more, and some that may have, in ascending order. REQUIRES: least > error()
  std::vector<std::uint64_t> candidates(std::int64_t least) const;

 private:
  struct Counter {
    std::uint64_t hash = 0;
    std::int64_t count = 0;  // 0: free
  };

  void raise(std::uint64_t hash, std::int64_t count) {
    Counter& counter = find(hash);
    if (counter.count == 0) return insert(hash, count);
    counter.count += count;
  }
  // The counter of the hash, or the free one where it would stand: linear probing.
  Counter& find(std::uint64_t hash) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    while (table_[at].count != 0 && table_[at].hash != hash) at = (at + 1) & mask;
    return table_[at];
  }
  void insert(std::uint64_t hash, std::int64_t count);
  void purge();

  std::size_t counters_;
  std::vector<Counter> table_;  // a power of 2, larger than counters_: a free one is always near
  std::size_t taken_ = 0;
  std::int64_t total_ = 0;
  std::int64_t error_ = 0;  // the sum of all medians subtracted
};

}  // namespace expose

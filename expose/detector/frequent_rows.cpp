#include "expose/detector/frequent_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

namespace expose {

FrequentCandidates::FrequentCandidates(std::size_t counters)
    : counters_(counters), table_(std::bit_ceil(counters + counters / 2)) {}

void FrequentCandidates::insert(std::uint64_t hash, std::int64_t count) {
  if (taken_ == counters_) purge();
  find(hash) = {hash, count};
  ++taken_;
}

// At least half of the counters lose the whole median m, so each purge takes m counters / 2 from the sum of all
// counters: that bounds error(). At least half become free: that makes a purge O(1) for each insertion.
void FrequentCandidates::purge() {
  std::vector<Counter> taken;
  taken.reserve(taken_);
  std::copy_if(table_.begin(), table_.end(), std::back_inserter(taken), [](const Counter& c) { return c.count != 0; });
  const auto middle = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
  std::nth_element(taken.begin(), middle, taken.end(),
                   [](const Counter& a, const Counter& b) { return a.count < b.count; });
  const std::int64_t median = middle->count;
  error_ += median;
  taken_ = 0;
  std::fill(table_.begin(), table_.end(), Counter());
  for (auto counter = middle; counter != taken.end(); ++counter) {
    if (counter->count > median) insert(counter->hash, counter->count - median);
  }
}

// Where other is *this every hash has its counter already: the table that is read is not rebuilt.
FrequentCandidates& FrequentCandidates::operator+=(const FrequentCandidates& other) {
  total_ += other.total_;
  error_ += other.error_;
  for (const Counter& counter : other.table_) {
    if (counter.count != 0) raise(counter.hash, counter.count);
  }
  return *this;
}

std::vector<std::uint64_t> FrequentCandidates::candidates(std::int64_t least) const {
  std::vector<std::uint64_t> hashes;
  for (const Counter& counter : table_) {
    if (counter.count != 0 && counter.count >= least - error_) hashes.push_back(counter.hash);
  }
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

}  // namespace expose

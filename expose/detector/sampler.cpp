#include "expose/detector/sampler.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/detector/row_hash.hpp"

namespace expose {
namespace {

std::int64_t count_of(std::span<const std::int64_t> counts, std::size_t i) { return counts.empty() ? 1 : counts[i]; }

void require_room(std::int64_t rows, std::int64_t more) {
  if (more <= Sampler::kMostRows - rows) return;
  throw Error(Code::overflow, std::to_string(rows) + " rows and " + std::to_string(more) +
                                  " more are more than a sample can stand for, " + std::to_string(Sampler::kMostRows));
}

void require_width(const Records& rows, std::size_t columns) {
  if (rows.d() == columns || rows.empty()) return;
  throw Error(Code::shape_mismatch,
              "rows have " + std::to_string(rows.d()) + " columns, the sample takes " + std::to_string(columns));
}

std::vector<std::uint64_t> hash_all(const Records& rows, std::size_t columns, std::uint64_t seed, Missing missing) {
  require_width(rows, columns);
  std::vector<std::uint64_t> hashes(rows.n());
  hash_good_rows(rows, seed, missing, hashes);
  return hashes;
}

// How many good rows there are with their counts. Throws on what no sampler takes.
std::int64_t weigh(std::span<const std::uint64_t> hashes, std::span<const std::int64_t> counts) {
  if (counts.empty()) return std::ssize(hashes) - std::ranges::count(hashes, kNoHash);
  if (counts.size() != hashes.size()) {
    throw Error(Code::shape_mismatch,
                std::to_string(counts.size()) + " counts come with " + std::to_string(hashes.size()) + " rows");
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (hashes[i] == kNoHash) continue;
    if (counts[i] < 0) {
      throw Error(Code::invalid_argument, "row " + std::to_string(i + 1) + " has the count " +
                                              std::to_string(counts[i]) + ", counts are 0 or more");
    }
    require_room(sum, counts[i]);
    sum += counts[i];
  }
  return sum;
}

// Deals a number of copies to weights w_1, w_2, ... of sum W, each its share to within one: floor(copies C_j / W) -
// floor(copies C_{j-1} / W) with C_j = w_1 + ... + w_j.
class Dealer {
 public:
  Dealer(std::int64_t copies, std::int64_t total) : copies_(copies), total_(total) {}

  std::int64_t deal(std::int64_t weight) {
    const std::int64_t before = copies_ * sum_ / total_;
    sum_ += weight;
    return copies_ * sum_ / total_ - before;
  }

 private:
  std::int64_t copies_;
  std::int64_t total_;
  std::int64_t sum_ = 0;
};

}  // namespace

Sampler::Sampler(std::size_t columns, std::uint64_t seed, Missing missing)
    : columns_(columns), seed_(seed), missing_(missing), bottom_(columns, kSampleRows), frequent_(kCounters) {}

void Sampler::add(const Records& rows, std::span<const std::int64_t> counts) {
  add(rows, hash_all(rows, columns_, seed_, missing_), counts);
}

void Sampler::add(const Records& rows, std::span<const std::uint64_t> hashes, std::span<const std::int64_t> counts) {
  require_width(rows, columns_);
  const std::int64_t more = weigh(hashes, counts);
  require_first_pass();
  require_room(rows_, more);
  bottom_.expect(lowest_hashes(hashes, kSampleRows, [&](std::size_t i) { return count_of(counts, i) > 0; }));
  std::vector<double> row(columns_);
  constexpr std::size_t kAhead = 16;  // rows
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) frequent_.prefetch(hashes[i + kAhead]);
    if (hashes[i] == kNoHash) continue;
    const std::int64_t count = count_of(counts, i);
    if (hashes[i] < bottom_.ceiling()) {
      rows.canonical(i, row);
      bottom_.add(hashes[i], row, count);
    }
    frequent_.add(hashes[i], count);
  }
  rows_ += more;
}

Sampler& Sampler::operator+=(const Sampler& other) {
  if (columns_ != other.columns_ || seed_ != other.seed_) {
    const auto kind = [](const Sampler& sampler) {
      return std::to_string(sampler.columns_) + " columns and seed " + std::to_string(sampler.seed_);
    };
    throw Error(Code::incompatible, "one sample has " + kind(*this) + ", the other " + kind(other));
  }
  require_first_pass();
  other.require_first_pass();
  require_room(rows_, other.rows_);
  bottom_ += other.bottom_;
  frequent_ += other.frequent_;
  rows_ += other.rows_;
  return *this;
}

void Sampler::require_first_pass() const {
  if (second_) throw Error(Code::invalid_argument, "rows cannot be added after the second pass has begun");
}

// The smallest count that is rows() / kSampleRows or more.
std::int64_t Sampler::least_frequent() const {
  constexpr std::int64_t kRows = kSampleRows;
  return (rows_ + kRows - 1) / kRows;
}

std::vector<std::uint64_t> Sampler::unknown_candidates() const {
  if (rows_ == 0) return {};
  std::vector<std::uint64_t> hashes = frequent_.candidates(least_frequent());
  hashes.erase(hashes.begin(), std::lower_bound(hashes.begin(), hashes.end(), bottom_.ceiling()));
  return hashes;
}

Sampler::SecondPass Sampler::begin_second_pass() const {
  const std::vector<std::uint64_t> hashes = unknown_candidates();
  return {{hashes.begin(), hashes.end()}, BottomRows<double>(columns_, kCounters)};
}

void Sampler::require_recount(std::int64_t more) const {
  const std::int64_t seen = second_ ? second_->rows : 0;
  if (more <= rows_ - seen) return;
  throw Error(Code::shape_mismatch, "the second pass has seen " + std::to_string(seen) + " rows and gets " +
                                        std::to_string(more) + " more, the first has seen " + std::to_string(rows_));
}

void Sampler::recount(const Records& rows, std::span<const std::int64_t> counts) {
  recount(rows, hash_all(rows, columns_, seed_, missing_), counts);
}

void Sampler::recount(const Records& rows, std::span<const std::uint64_t> hashes,
                      std::span<const std::int64_t> counts) {
  require_width(rows, columns_);
  const std::int64_t more = weigh(hashes, counts);
  require_recount(more);
  if (!second_) second_ = begin_second_pass();
  std::vector<double> row(columns_);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (!second_->candidates.contains(hashes[i])) continue;
    rows.canonical(i, row);
    second_->found.add(hashes[i], row, count_of(counts, i));
  }
  second_->rows += more;
}

void Sampler::merge_recount(const Sampler& other) {
  if (!other.second_) return;  // a part without rows
  SecondPass merged = second_ ? *second_ : begin_second_pass();
  if (rows_ != other.rows_ || merged.candidates != other.second_->candidates) {
    throw Error(Code::incompatible, "two second passes do not follow the same first pass: one looks for " +
                                        std::to_string(merged.candidates.size()) + " of " + std::to_string(rows_) +
                                        " rows, the other for " + std::to_string(other.second_->candidates.size()) +
                                        " of " + std::to_string(other.rows_));
  }
  require_recount(other.second_->rows);
  merged.found += other.second_->found;
  merged.rows += other.second_->rows;
  second_ = std::move(merged);
}

// Frequent rows get their share of all copies; the other rows that are known stand for all the others there are, and
// share what is left.
std::vector<double> Sampler::sample() const {
  if (second_ && second_->rows != rows_) {
    throw Error(Code::shape_mismatch, "the second pass has seen " + std::to_string(second_->rows) +
                                          " rows, the first " + std::to_string(rows_));
  }
  if (rows_ == 0) return {};
  const std::int64_t least = least_frequent();
  std::vector<const BottomRows<double>::Entry*> known;  // in ascending order: what is found lies above the ceiling
  std::int64_t frequent_sum = 0;
  std::int64_t other_sum = 0;
  for (const auto& [hash, entry] : bottom_) {
    known.push_back(&entry);
    (entry.count >= least ? frequent_sum : other_sum) += entry.count;
  }
  if (second_) {
    for (const auto& [hash, entry] : second_->found) {
      if (entry.count < least) continue;
      known.push_back(&entry);
      frequent_sum += entry.count;
    }
  }
  const std::int64_t copies = std::min<std::int64_t>(rows_, kSampleRows);
  Dealer frequent(copies, rows_);
  Dealer others(copies - copies * frequent_sum / rows_, other_sum);
  std::vector<double> sample;
  sample.reserve(static_cast<std::size_t>(copies) * columns_);
  for (const auto* entry : known) {
    std::int64_t n = (entry->count >= least ? frequent : others).deal(entry->count);
    for (; n > 0; --n) sample.insert(sample.end(), entry->row.begin(), entry->row.end());
  }
  return sample;
}

}  // namespace expose

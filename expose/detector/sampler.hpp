// Sampler: at most 10,000 rows that stand for all rows, on which a plan is decided.
//
// The sample depends on the rows and the seed, not on their order or partition (law 3): a cluster and a laptop draw the
// same one, row for row. It represents rows, not distinct values: a value that holds half of the rows holds half of it.
// How: the distinct rows with the smallest hashes are a fair draw of the distinct rows, with exact counts. Rows with
// 1/10,000 of all rows or more are few and seldom in that draw: their hashes are found in the first pass and, only
// where one may be missing from the draw, they are counted exactly in a second.
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "expose/base/records.hpp"
#include "expose/detector/bottom_rows.hpp"
#include "expose/detector/frequent_rows.hpp"
#include "expose/detector/options.hpp"

namespace expose {

class Sampler {
 public:
  static constexpr std::size_t kSampleRows = 10000;
  static constexpr std::int64_t kMostRows = BottomRows<double>::kMostCopies;

  // missing: whether rows with missing values are good rows.
  Sampler(std::size_t columns, std::uint64_t seed, Missing missing = Missing::reject);

  std::size_t columns() const { return columns_; }
  std::uint64_t seed() const { return seed_; }
  // How many rows the first pass has seen, each as often as its count says.
  std::int64_t rows() const { return rows_; }

  // The first pass. A count is as good as so many repetitions; 0: the row is not there. Rows that are not good are left
  // out. Throws, and adds nothing, on wrong shapes, negative counts, more than kMostRows rows, or once the second pass
  // has begun.
  void add(const Records& rows, std::span<const std::int64_t> counts = {});
  // The same for rows that are hashed already, by hash_good_rows.
  void add(const Records& rows, std::span<const std::uint64_t> hashes, std::span<const std::int64_t> counts);
  // Merges first passes over parts. Throws Code::incompatible for different columns or seeds.
  Sampler& operator+=(const Sampler& other);

  // Whether a row may hold 1/kSampleRows of all rows and not be known yet: then the sample wants a second pass over the
  // same rows. Never for up to kSampleRows distinct rows. Whoever cannot read twice gets a sample in which such rows
  // are missing; it is still free of order.
  bool wants_second_pass() const { return !unknown_candidates().empty(); }
  // The second pass. On a cluster each part recounts its rows on a copy of the merged first pass.
  // Throws as add does, and if there are more rows than in the first pass.
  void recount(const Records& rows, std::span<const std::int64_t> counts = {});
  void recount(const Records& rows, std::span<const std::uint64_t> hashes, std::span<const std::int64_t> counts);
  // Merges second passes over parts. Throws Code::incompatible unless both follow the same first pass.
  void merge_recount(const Sampler& other);

  // The sample, row after row in ascending order of their hashes: every row there is, up to kSampleRows of them; else
  // kSampleRows rows. Throws Code::shape_mismatch after a second pass over fewer rows than the first.
  std::vector<double> sample() const;

 private:
  // kSampleRows times 4: the error, 2/counters, is half of the share that makes a row frequent.
  static constexpr std::size_t kCounters = 4 * kSampleRows;

  struct SecondPass {
    std::unordered_set<std::uint64_t> candidates;
    BottomRows<double> found;  // all of the candidates, with exact counts
    std::int64_t rows = 0;
  };

  std::int64_t least_frequent() const;
  std::vector<std::uint64_t> unknown_candidates() const;
  SecondPass begin_second_pass() const;
  void require_first_pass() const;
  void require_recount(std::int64_t more) const;

  std::size_t columns_;
  std::uint64_t seed_;
  Missing missing_;
  std::int64_t rows_ = 0;
  BottomRows<double> bottom_;
  FrequentCandidates frequent_;
  std::optional<SecondPass> second_;
};

}  // namespace expose

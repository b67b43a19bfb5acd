// BottomRows: the distinct rows with the smallest content hashes, at most `capacity`, each with its exact count.
//
// Hashes choose, so the state depends on which rows came and how often, never on their order, partition or merge order.
// Invariant: every row whose hash is below the ceiling is here, with all its copies; nothing at or above it is. The
// ceiling only falls: when there are too many rows, the one with the largest hash leaves and its hash is the ceiling.
// Two rows with one hash count as one (about 3e-4 likely among 1e8 distinct rows; then one of them stands for both).
// A plain value. Threads may read one together; whoever changes it must be alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "expose/base/bytes.hpp"

namespace expose {

// T: float or double, as which the rows are kept.
template <class T>
class BottomRows {
 public:
  struct Entry {
    std::int64_t count = 0;  // 1 .. kMostCopies
    std::vector<T> row;

    // By their bits: a missing number, NaN, is equal to itself.
    friend bool operator==(const Entry& a, const Entry& b) {
      return a.count == b.count && std::ranges::equal(std::as_bytes(std::span(a.row)), std::as_bytes(std::span(b.row)));
    }
  };

  static constexpr std::uint64_t kNoCeiling = std::numeric_limits<std::uint64_t>::max();
  // So few that the counts of 10,000 rows together, or 10,000 times one count, fit in 64 bits.
  static constexpr std::int64_t kMostCopies = std::int64_t{1} << 48;

  BottomRows(std::size_t columns, std::size_t capacity) : columns_(columns), capacity_(capacity) {}

  std::size_t columns() const { return columns_; }
  std::size_t capacity() const { return capacity_; }
  std::uint64_t ceiling() const { return ceiling_; }

  // (hash, Entry) in ascending order of the hash.
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // `count` more copies of a row, with hash and content as hash_row gives them.
  // Throws Code::overflow beyond kMostCopies. REQUIRES: row.size() == columns(), count >= 0
  void add(std::uint64_t hash, std::span<const double> row, std::int64_t count = 1) {
    if (hash < ceiling_) add_below_ceiling(hash, row, count);
  }
  // Rows with these hashes (in any order, repeated or not) come next, all of them: the ceiling is lowered to one that
  // they lower it to anyway, so that few rows are kept only to be dropped again.
  void expect(std::vector<std::uint64_t> hashes);
  // `count` copies fewer; a row above the ceiling is not known, so nothing is to do. The ceiling stays: a place that
  // becomes free is taken by rows that come later. Throws Code::not_found where fewer copies are there.
  // REQUIRES: count >= 0
  void subtract(std::uint64_t hash, std::int64_t count = 1);

  // Merge and unmerge. What only one of the two knows, from the lower ceiling on, is dropped.
  // Throw as add and subtract do, and Code::incompatible for different columns or capacities.
  BottomRows& operator+=(const BottomRows& other);
  BottomRows& operator-=(const BottomRows& other);

  friend bool operator==(const BottomRows& a, const BottomRows& b) = default;

  // Equal states have equal bytes. Columns and capacity are not among them: whoever reads knows them, from the plan.
  void write(Writer& writer) const;
  // Throws Code::corrupt, and leaves the reader where it was, for bytes that are not such a state.
  static BottomRows read(Reader& reader, std::size_t columns, std::size_t capacity);

 private:
  void add_below_ceiling(std::uint64_t hash, std::span<const double> row, std::int64_t count);
  void require_same_shape(const BottomRows& other) const;
  void lower_ceiling(std::uint64_t ceiling);
  void evict();

  std::size_t columns_;
  std::size_t capacity_;
  std::uint64_t ceiling_ = kNoCeiling;
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace expose

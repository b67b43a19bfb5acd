// hash_row: the seeded hash of a row's content, the number by which order-free samples choose.
//
// It sees canonical doubles (-0 is 0, one NaN), so rows that are equal have equal hashes, whether they came as float or
// as double; another seed chooses other rows. Never 2^64 - 1, which is kept free to stand above every hash.
// Pure functions; any number of threads may call them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "expose/base/pool.hpp"
#include "expose/base/records.hpp"
#include "expose/detector/options.hpp"

namespace expose {

// Stands where a row has no hash.
inline constexpr std::uint64_t kNoHash = std::numeric_limits<std::uint64_t>::max();

// The hash of row i. Leaves the row, as the canonical doubles that were hashed, in `canonical`.
// REQUIRES: i < rows.n(), canonical.size() == rows.d()
std::uint64_t hash_row(const Records& rows, std::size_t i, std::uint64_t seed, std::span<double> canonical);

// The hashes of all rows; kNoHash for rows that are not good (is_good). Returns whether all values are finite numbers.
// REQUIRES: hashes.size() == rows.n()
bool hash_good_rows(const Records& rows, std::uint64_t seed, Missing missing, std::span<std::uint64_t> hashes);

struct HashedRows {
  std::vector<std::uint64_t> hashes;
  bool all_finite = true;
};
HashedRows hash_good_rows(const Records& rows, std::uint64_t seed, Missing missing, Pool& pool);

// A few more than `wanted` of the lowest hashes, or all where there are not so many. Hashes are spread evenly, so those
// below a limit are about as many as it says: no need to sort them all.
template <class Counts>
std::vector<std::uint64_t> lowest_hashes(std::span<const std::uint64_t> hashes, std::size_t wanted,
                                         const Counts& counts) {
  std::vector<std::uint64_t> lowest;
  const double share = 1.25 * static_cast<double>(wanted) / static_cast<double>(hashes.size());
  const std::uint64_t limit = share < 1 ? static_cast<std::uint64_t>(share * 0x1p64) : kNoHash;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i] < limit && counts(i)) lowest.push_back(hashes[i]);
  }
  return lowest;
}

}  // namespace expose

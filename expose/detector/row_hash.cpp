#include "expose/detector/row_hash.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "expose/base/hash.hpp"
#include "expose/detector/weights.hpp"
#include "expose/mean/projected.hpp"

namespace expose {

// The bytes of a double in memory are hashed as they are: another byte order would be another hash.
static_assert(std::endian::native == std::endian::little);

namespace {

std::uint64_t hash_canonical(std::span<const double> row, std::uint64_t seed) {
  return std::min(hash64(std::as_bytes(row), seed), kNoHash - 1);
}

}  // namespace

std::uint64_t hash_row(const Records& rows, std::size_t i, std::uint64_t seed, std::span<double> canonical) {
  rows.canonical(i, canonical);
  return hash_canonical(canonical, seed);
}

bool hash_good_rows(const Records& rows, std::uint64_t seed, Missing missing, std::span<std::uint64_t> hashes) {
  if (rows.all_canonical()) {  // as most tables are: nothing to copy
    for (std::size_t i = 0; i < rows.n(); ++i) hashes[i] = hash_canonical({rows.doubles(i), rows.d()}, seed);
    return true;
  }
  std::vector<double> canonical(rows.d());
  const auto take = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) hashes[i] = hash_row(rows, i, seed, canonical);
  };
  if (rows.all_finite()) {
    take(0, rows.n());
    return true;
  }
  std::ranges::fill(hashes, kNoHash);
  for_good_runs(rows, missing, take);
  return false;
}

HashedRows hash_good_rows(const Records& rows, std::uint64_t seed, Missing missing, Pool& pool) {
  HashedRows hashed{std::vector<std::uint64_t>(rows.n())};
  std::atomic<bool> all_finite = true;
  pool.run((rows.n() + kBlockRows - 1) / kBlockRows, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kBlockRows;
    const std::size_t end = std::min(begin + kBlockRows, rows.n());
    const std::span<std::uint64_t> some = std::span(hashed.hashes).subspan(begin, end - begin);
    if (!hash_good_rows(rows.slice(begin, end), seed, missing, some)) all_finite = false;
  });
  hashed.all_finite = all_finite;
  return hashed;
}

}  // namespace expose

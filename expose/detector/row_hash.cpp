#include "expose/detector/row_hash.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "expose/base/hash.hpp"

namespace expose {

// The bytes of a double in memory are hashed as they are: another byte order would be another hash.
static_assert(std::endian::native == std::endian::little);

std::uint64_t hash_row(const Records& rows, std::size_t i, std::uint64_t seed, std::span<double> canonical) {
  rows.canonical(i, canonical);
  return std::min(hash64(std::as_bytes(canonical), seed), std::numeric_limits<std::uint64_t>::max() - 1);
}

}  // namespace expose

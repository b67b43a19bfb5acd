#include "expose/base/hash.hpp"

// The header-only form: nothing to link, and none of its names leave this file. It takes the instructions that every
// machine of the build's kind has (SSE2, NEON) and gives the same number with any.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace expose {

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hex(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

}  // namespace expose

// hash64: XXH3, the hash behind fingerprints and checksums; the same number on every machine, for ever.
//
// Good against accidents, not against an adversary: whoever can choose the bytes can make two inputs collide.
// Pure functions; any number of threads may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "expose/base/api.hpp"

namespace expose {

// XXH3, 64 bits, of the bytes; another seed is another hash function.
EXPOSE_API std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed = 0);

// How a hash is shown to people: 16 lower-case hexadecimal digits.
EXPOSE_API std::string hex(std::uint64_t value);

}  // namespace expose

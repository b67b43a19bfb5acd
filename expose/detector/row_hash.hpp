// hash_row: the seeded hash of a row's content, the number by which order-free samples choose.
//
// It sees canonical doubles (-0 is 0, one NaN), so rows that are equal have equal hashes, whether they came as float or
// as double; another seed chooses other rows. Never 2^64 - 1, which is kept free to stand above every hash.
// A pure function; any number of threads may call it.
#pragma once

#include <cstdint>
#include <span>

#include "expose/base/records.hpp"

namespace expose {

// The hash of row i. Leaves the row, as the canonical doubles that were hashed, in `canonical`.
// REQUIRES: i < rows.n(), canonical.size() == rows.d()
std::uint64_t hash_row(const Records& rows, std::size_t i, std::uint64_t seed, std::span<double> canonical);

}  // namespace expose

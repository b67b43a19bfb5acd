// One set of buffers a thread, grown when needed and kept: judging a row allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expose/base/aligned.hpp"

namespace expose::simd {

struct Scratch {
  AlignedVector<float> rows;         // a block of rows, packed for the tiles
  AlignedVector<float> seen;         // a tile of rows on their way there
  AlignedVector<float> lanes;        // 16 partial similarities a row
  AlignedVector<float> work;         // Hadamard transforms
  AlignedVector<float> features;     // padded features on their way to the caller
  AlignedVector<float> watched;      // features of a row of a stream
  AlignedVector<std::int32_t> sums;  // grid bits, for at most kMaxRows rows
};

Scratch& scratch();

// A buffer of at least `size` entries; what it held is lost.
template <class T>
T* room(AlignedVector<T>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
  return buffer.data();
}

}  // namespace expose::simd

// Rows in blocks of at most `block`, in order: work(some rows, index of the first).
#pragma once

#include <algorithm>
#include <cstddef>

#include "expose/base/rows.hpp"

namespace expose::simd {

template <class Work>
void in_blocks(Rows rows, std::size_t block, const Work& work) {
  for (std::size_t begin = 0; begin < rows.n(); begin += block) {
    work(rows.slice(begin, std::min(begin + block, rows.n())), begin);
  }
}

}  // namespace expose::simd

// each(pool, n, work): work(i) for i in 0 .. n-1, on all threads of the pool, if there is one.
#pragma once

#include <cstddef>

#include "expose/base/pool.hpp"

namespace expose {

template <class Work>
void each(Pool* pool, std::size_t n, const Work& work) {
  if (pool != nullptr) return pool->run(n, [&](std::size_t i, std::size_t) { work(i); });
  for (std::size_t i = 0; i < n; ++i) work(i);
}

}  // namespace expose

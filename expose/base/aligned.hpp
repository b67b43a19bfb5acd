// AlignedVector: a std::vector whose first element lies on a cache line, where vector loads are never split.
//
// Otherwise a std::vector in everything, including which threads may share it.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace expose {

// A cache line on x86 and most ARM cores, and the widest vector register (AVX-512).
inline constexpr std::size_t kAlignment = 64;

template <class T>
struct AlignedAllocator {
  static_assert(alignof(T) <= kAlignment);
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment}));
  }
  void deallocate(T* data, std::size_t) { ::operator delete (data, std::align_val_t{kAlignment}); }

  // Any of them can free what another one gave.
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace expose

#include "expose/simd/scratch.hpp"

namespace expose::simd {

Scratch& scratch() {
  thread_local Scratch buffers;
  return buffers;
}

}  // namespace expose::simd

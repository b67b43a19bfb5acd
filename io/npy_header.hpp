// NpyHeader: what the first bytes of a .npy file say about the rest. A pure function; nothing it says is trusted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/stream.hpp"

namespace expose::io {

struct NpyHeader {
  char kind = 'f';  // f, i, u, b
  std::size_t bytes = 8;
  bool swapped = false;  // numbers have the other byte first
  bool fortran = false;
  std::size_t rows = 0;
  std::size_t columns = 1;
  std::size_t data = 0;  // where the numbers begin
};

// Throws Code::corrupt for a header that is none, or an array that is no table of numbers.
NpyHeader read_npy_header(ByteStream& stream);

}  // namespace expose::io

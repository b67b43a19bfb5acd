// npy: the arrays of NumPy: one or two dimensions of floats, integers or booleans, in C or Fortran order.
//
// NaN is missing, a row with an infinity is bad. Columns are called column_1, column_2, ... A hostile file gets an
// Error.
#pragma once

#include <memory>
#include <string>

#include "io/stream.hpp"
#include "io/table_reader.hpp"

namespace expose::io {

// REQUIRES: the stream stands at its beginning. Throws Code::corrupt, with what to do, for an array that is none of
// these.
std::unique_ptr<TableReader> npy_table(std::unique_ptr<ByteStream> stream, std::string file,
                                       const ReadOptions& options);

}  // namespace expose::io

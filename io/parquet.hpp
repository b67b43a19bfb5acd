// parquet: tables by columns, read with Arrow C++ where the build has it; else an Error that says how to get it.
//
// Record batch by record batch, so memory is bounded, and only columns that are wanted are decoded. Numbers and
// booleans are numbers; strings, dictionaries and lists texts; dates and times texts as ISO 8601 writes them; null is
// missing. Structs are flattened with dots. A hostile file gets an Error, as far as Arrow knows it for one.
#pragma once

#include <memory>
#include <string>

#include "io/stream.hpp"
#include "io/table_reader.hpp"

namespace expose::io {

// Whether this build reads parquet.
bool reads_parquet();

// REQUIRES: the stream stands at its beginning. A pipe is read to its end first, into a temporary file if it is long.
// Throws Code::corrupt, with what to do, for a file that is none, and Code::unsupported where Arrow is missing.
std::unique_ptr<TableReader> parquet_table(std::unique_ptr<ByteStream> stream, std::string file,
                                           const ReadOptions& options);

}  // namespace expose::io

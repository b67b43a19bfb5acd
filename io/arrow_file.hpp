// A ByteStream as the file that Arrow reads from: any bytes of it, in any order.
#pragma once

#include <memory>

#include "io/stream.hpp"

namespace arrow::io {
class RandomAccessFile;
}  // namespace arrow::io

namespace expose::io {

// Throws Code::invalid_argument for a stream that can only go on: packed bytes.
std::shared_ptr<arrow::io::RandomAccessFile> arrow_file(std::unique_ptr<ByteStream> stream);

}  // namespace expose::io

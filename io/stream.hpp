// ByteStream: bytes of a file, a pipe, or what is packed in one, from the beginning to the end.
//
// A file can be read again from its beginning; a pipe as long as no more than its first part was read, which is kept
// for that. Memory is bounded. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace expose::io {

class ByteStream {
 public:
  // A pipe remembers so many bytes; then it forgets them and cannot be rewound.
  static constexpr std::size_t kKept = std::size_t{64} << 20;

  virtual ~ByteStream() = default;
  // Some bytes, at least 1; 0 at the end. Waits for them where they are still to come. Throws Code::io where the system
  // fails, Code::corrupt for packed bytes that are not what they claim to be.
  virtual std::size_t read(std::span<char> into) = 0;
  // Whether read() would answer at once.
  virtual bool ready() = 0;
  // Back to the beginning, or false.
  virtual bool rewind() = 0;
  // To this byte, or false where one can only go on.
  virtual bool seek(std::size_t) { return false; }
  // Whether rewind() will always work.
  virtual bool repeatable() const = 0;
};

// "-" is standard input. Throws Code::io, with the path and the reason, for what cannot be read, a directory among
// them.
std::unique_ptr<ByteStream> open_file(const std::string& path);
// These bytes.
std::unique_ptr<ByteStream> in_memory(std::string bytes);

// Unpack as they are read, several members or frames one after the other too.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed);
std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> packed);

// The stream itself, or what unpacks it if it begins like gz or zst. Rewound.
std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> stream);

// Reads until `into` is full or the stream ends; how many bytes that were.
std::size_t read_fully(ByteStream& stream, std::span<char> into);

}  // namespace expose::io

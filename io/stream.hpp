// ByteStream: bytes of a file, a pipe, or what is packed in one, from the beginning to the end.
//
// A file can be read again from its beginning; a pipe as long as no more than its first part was read, which is kept
// for that, or always if that was asked for. Memory is bounded. One thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace expose::io {

// What is kept of a pipe so that it can be read again.
struct Keep {
  std::size_t bytes = std::size_t{64} << 20;  // in memory
  bool again = false;  // what is more goes into a temporary file; else all is forgotten, and there is no way back
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Some bytes, at least 1; 0 at the end. Waits for them where they are still to come. Throws Code::io where the system
  // fails, Code::corrupt for packed bytes that are not what they claim to be.
  virtual std::size_t read(std::span<char> into) = 0;
  // Whether read() would answer at once.
  virtual bool ready() = 0;
  // Back to the beginning, or false: then it stays where it is. Throws Code::io for a file that is not what it was.
  virtual bool rewind() = 0;
  // To this byte, or false where one can only go on.
  virtual bool seek(std::size_t) { return false; }
  // How many bytes it has, where seek() can go to any of them; a pipe is read to its end and kept for that.
  virtual std::optional<std::size_t> size() { return {}; }
  // Whether rewind() will always work.
  virtual bool repeatable() const = 0;
  // From here on nobody goes back: what is kept for that is given back as soon as it was read.
  virtual void no_rewind() {}
};

// "-" is standard input. stop: a descriptor, or -1; from when on it can be read, reading from a pipe does not wait any
// more and throws Code::cancelled. bytes_read: counts what a file gives, in all passes. Throws Code::io, with the path
// and the reason, for what cannot be read, a directory among them.
std::unique_ptr<ByteStream> open_file(const std::string& path, const Keep& keep = {}, int stop = -1,
                                      std::atomic<std::uint64_t>* bytes_read = nullptr);
// Whether a path gives its bytes once: standard input, a pipe.
bool comes_once(const std::string& path);
// These bytes.
std::unique_ptr<ByteStream> in_memory(std::string bytes);

// Unpack as they are read, several members or frames one after the other too.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed);
std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> packed);

// The stream itself, or what unpacks it if it begins like gz or zst. Rewound.
std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> stream);

// Some bytes of an open file, 0 at its end; `name` is for the complaint. Throws Code::io.
std::size_t read_some(int fd, std::span<char> into, const std::string& name);
// Reads until `into` is full or the stream ends; how many bytes that were.
std::size_t read_fully(ByteStream& stream, std::span<char> into);

}  // namespace expose::io

// Unpacker: what gz and zst have in common: packed bytes in, unpacked bytes out, and a complaint where they stop early.
//
// One thread at a time.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "expose/base/error.hpp"
#include "io/stream.hpp"

namespace expose::io {

class Unpacker : public ByteStream {
 public:
  explicit Unpacker(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)), buffer_(kBuffer) {}

  std::size_t read(std::span<char> into) final {
    for (;;) {
      const std::size_t n = unpack(into);
      if (n > 0) return n;
      if (!input_.empty()) continue;
      const std::size_t more = packed_->read(buffer_);
      if (more == 0 && whole()) return 0;
      if (more == 0) throw Error(Code::corrupt, "the packed data stops before its end: the file was cut");
      input_ = std::span<const char>(buffer_).first(more);
    }
  }
  bool ready() final { return !input_.empty() || packed_->ready(); }
  bool rewind() final {
    if (!packed_->rewind()) return false;
    input_ = {};
    reset();
    return true;
  }
  bool repeatable() const final { return packed_->repeatable(); }
  void no_rewind() final { packed_->no_rewind(); }

 protected:
  // Unpacks from the front of input_, and takes off what it used. Returns 0 only where more input is needed, or input
  // was used up that held nothing.
  virtual std::size_t unpack(std::span<char> into) = 0;
  // Whether the input may end here.
  virtual bool whole() const = 0;
  virtual void reset() = 0;

  std::span<const char> input_;

 private:
  static constexpr std::size_t kBuffer = std::size_t{128} << 10;

  std::unique_ptr<ByteStream> packed_;
  std::vector<char> buffer_;
};

}  // namespace expose::io

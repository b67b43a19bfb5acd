#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>

#include "io/unpack.hpp"

namespace expose::io {

namespace {

constexpr int kGzip = 16 + MAX_WBITS;  // zlib: a gzip header is expected

class Gunzip final : public Unpacker {
 public:
  explicit Gunzip(std::unique_ptr<ByteStream> packed) : Unpacker(std::move(packed)) {
    if (inflateInit2(&state_, kGzip) != Z_OK) throw Error(Code::io, "zlib has no memory");
  }
  ~Gunzip() override { inflateEnd(&state_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

 private:
  std::size_t unpack(std::span<char> into) override {
    if (!damage_.empty()) throw Error(Code::corrupt, "the gz data is damaged: " + damage_);
    if (between_ && any_) {  // zeros after the last member
      while (!input_.empty() && input_.front() == 0) input_ = input_.subspan(1);
    }
    if (input_.empty() && !pending_) return 0;
    between_ = false;
    const auto room = static_cast<uInt>(std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max()));
    // zlib reads through this pointer and never writes.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    state_.avail_in = static_cast<uInt>(input_.size());
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = room;
    const int result = inflate(&state_, Z_NO_FLUSH);
    input_ = input_.last(state_.avail_in);
    pending_ = result == Z_OK && state_.avail_out == 0;
    if (result == Z_STREAM_END) {
      between_ = any_ = true;
      inflateReset(&state_);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      damage_ = state_.msg != nullptr ? state_.msg : "zlib does not say how";
      if (state_.avail_out == room) return unpack(into);  // what came before the damage is good
    }
    return room - state_.avail_out;
  }
  bool whole() const override { return between_; }
  void reset() override {
    inflateReset(&state_);
    between_ = true;
    any_ = pending_ = false;
    damage_.clear();
  }

  z_stream state_{};
  bool between_ = true;   // of two members
  bool any_ = false;      // a member has ended
  bool pending_ = false;  // the last output was full: more may come without input
  std::string damage_;    // met behind the last output
};

}  // namespace

std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<Gunzip>(std::move(packed));
}

}  // namespace expose::io

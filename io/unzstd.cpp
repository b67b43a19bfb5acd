#include <zstd.h>

#include <string>

#include "io/unpack.hpp"

namespace expose::io {

namespace {

class Unzstd final : public Unpacker {
 public:
  explicit Unzstd(std::unique_ptr<ByteStream> packed) : Unpacker(std::move(packed)), state_(ZSTD_createDStream()) {
    if (state_ == nullptr) throw Error(Code::io, "zstd has no memory");
  }
  ~Unzstd() override { ZSTD_freeDStream(state_); }
  Unzstd(const Unzstd&) = delete;
  Unzstd& operator=(const Unzstd&) = delete;

 private:
  std::size_t unpack(std::span<char> into) override {
    if (input_.empty() && !pending_) return 0;
    ZSTD_inBuffer in{input_.data(), input_.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t result = ZSTD_decompressStream(state_, &out, &in);
    if (ZSTD_isError(result) != 0) {
      throw Error(Code::corrupt, std::string("the zst data is damaged: ") + ZSTD_getErrorName(result));
    }
    input_ = input_.subspan(in.pos);
    between_ = result == 0;
    pending_ = !between_ && out.pos == out.size;
    return out.pos;
  }
  bool whole() const override { return between_; }
  void reset() override {
    ZSTD_DCtx_reset(state_, ZSTD_reset_session_only);
    between_ = true;
    pending_ = false;
  }

  ZSTD_DStream* state_;
  bool between_ = true;   // of two frames
  bool pending_ = false;  // the last output was full: more may come without input
};

}  // namespace

std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<Unzstd>(std::move(packed));
}

}  // namespace expose::io

// PipeStream: bytes that come once, kept so that they can be read again: the first ones in memory, and the others, if
// that is asked for, in a temporary file that has no name and ends with the stream.
//
// One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expose/base/error.hpp"
#include "io/stream.hpp"

namespace expose::io {

// A file without a name in TMPDIR, or in /tmp; made when the first bytes come. `whose` is for its complaints.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string whose) : whose_(std::move(whose)) {}
  ~TemporaryFile() { drop(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::size_t size() const { return size_; }
  // Throws Code::io, with what to do, where there is no room. What was written until then is counted.
  void append(std::span<const char> bytes);
  // REQUIRES: at < size()
  std::size_t read(std::size_t at, std::span<char> into) const;
  void drop();

 private:
  void open();
  [[noreturn]] void fail(const std::string& what, int error) const;

  std::string whose_;
  std::string folder_;
  int fd_ = -1;
  std::size_t size_ = 0;
};

class PipeStream final : public ByteStream {
 public:
  PipeStream(int fd, std::string name, const Keep& keep, int stop = -1)
      : fd_(fd), stop_(stop), name_(std::move(name)), keep_(keep), file_(name_) {}
  ~PipeStream() override;
  PipeStream(const PipeStream&) = delete;
  PipeStream& operator=(const PipeStream&) = delete;

  std::size_t read(std::span<char> into) override;
  bool ready() override;
  bool rewind() override;
  bool seek(std::size_t byte) override;
  std::optional<std::size_t> size() override;
  bool repeatable() const override { return keep_.again && keeping_; }
  void no_rewind() override;
  // The memory that going back takes.
  std::size_t kept_bytes() const { return kept_.capacity(); }

 private:
  std::size_t stored() const { return kept_.size() + file_.size(); }
  std::size_t read_again(std::span<char> into);
  void wait() const;
  void store(std::span<const char> bytes);
  void forget();

  int fd_;
  int stop_;
  std::string name_;
  Keep keep_;
  std::vector<char> kept_;
  TemporaryFile file_;  // what comes behind kept_
  std::size_t at_ = 0;  // where one reads: in what is stored, or behind it
  bool keeping_ = true;
  std::optional<Error> failure_;  // bytes were lost: none can come behind what is stored
};

}  // namespace expose::io

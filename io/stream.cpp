#include "io/stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "expose/base/error.hpp"

namespace expose::io {

namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(Code::io, what + ": " + std::strerror(error));
}

std::size_t read_some(int fd, std::span<char> into, const std::string& name) {
  for (;;) {
    const ssize_t n = ::read(fd, into.data(), into.size());
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) fail("cannot read " + name, errno);
  }
}

// A file that can be read twice.
class FileStream : public ByteStream {
 public:
  // Its beginning is where it stands now.
  FileStream(int fd, std::string name) : fd_(fd), name_(std::move(name)), begin_(::lseek(fd, 0, SEEK_CUR)) {}
  ~FileStream() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  std::size_t read(std::span<char> into) override { return read_some(fd_, into, name_); }
  bool ready() override { return true; }
  bool rewind() override { return seek(0); }
  bool seek(std::size_t byte) override { return ::lseek(fd_, begin_ + static_cast<off_t>(byte), SEEK_SET) >= 0; }
  bool repeatable() const override { return true; }

 private:
  int fd_;
  std::string name_;
  off_t begin_;
};

class PipeStream : public ByteStream {
 public:
  PipeStream(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  ~PipeStream() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  PipeStream(const PipeStream&) = delete;
  PipeStream& operator=(const PipeStream&) = delete;

  std::size_t read(std::span<char> into) override {
    if (again_ < kept_.size()) {
      const std::size_t n = std::min(into.size(), kept_.size() - again_);
      std::copy_n(kept_.data() + again_, n, into.data());
      again_ += n;
      return n;
    }
    const std::size_t n = read_some(fd_, into, name_);
    if (keeping_ && kept_.size() + n <= kKept) {
      kept_.insert(kept_.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(n));
      again_ = kept_.size();
    } else if (keeping_) {
      keeping_ = false;
      kept_ = {};
      again_ = 0;
    }
    return n;
  }

  bool ready() override {
    if (again_ < kept_.size()) return true;
    pollfd wait{fd_, POLLIN, 0};
    return ::poll(&wait, 1, 0) != 0;  // the end of the stream and errors are answered at once too
  }

  bool rewind() override {
    again_ = 0;
    return keeping_;
  }

  bool repeatable() const override { return false; }

 private:
  int fd_;
  std::string name_;
  std::vector<char> kept_;
  std::size_t again_ = 0;
  bool keeping_ = true;
};

class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t n = std::min(into.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, n, into.data());
    at_ += n;
    return n;
  }
  bool ready() override { return true; }
  bool rewind() override { return seek(0); }
  bool seek(std::size_t byte) override {
    at_ = std::min(byte, bytes_.size());
    return true;
  }
  bool repeatable() const override { return true; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_file(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  const int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("cannot open " + path, errno);
  struct stat about {};
  if (::fstat(fd, &about) != 0) {
    const int error = errno;
    if (!standard_input) ::close(fd);
    fail("cannot read " + name, error);
  }
  if (S_ISDIR(about.st_mode)) {
    if (!standard_input) ::close(fd);
    throw Error(Code::io, name + " is a directory; name the files in it");
  }
  if (S_ISREG(about.st_mode)) return std::make_unique<FileStream>(fd, name);
  return std::make_unique<PipeStream>(fd, name);
}

std::unique_ptr<ByteStream> in_memory(std::string bytes) { return std::make_unique<MemoryStream>(std::move(bytes)); }

std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> stream) {
  using namespace std::string_view_literals;
  std::array<char, 4> start{};
  const std::size_t n = read_fully(*stream, start);
  stream->rewind();
  const std::string_view magic(start.data(), n);
  if (magic.starts_with("\x1f\x8b"sv)) return gunzip(std::move(stream));
  if (magic == "\x28\xb5\x2f\xfd"sv) return unzstd(std::move(stream));
  return stream;
}

std::size_t read_fully(ByteStream& stream, std::span<char> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const std::size_t n = stream.read(into.subspan(filled));
    if (n == 0) break;
    filled += n;
  }
  return filled;
}

}  // namespace expose::io

#include "io/stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "expose/base/error.hpp"
#include "io/pipe.hpp"

namespace expose::io {

namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(Code::io, what + ": " + std::strerror(error));
}

// A file that can be read twice, as far as it reached when it was opened: who writes on changes no answer.
class FileStream : public ByteStream {
 public:
  // Its beginning is where it stands now.
  FileStream(int fd, std::string name, const struct stat& about, std::atomic<std::uint64_t>* bytes_read)
      : fd_(fd),
        name_(std::move(name)),
        begin_(std::max<off_t>(0, ::lseek(fd, 0, SEEK_CUR))),
        at_(begin_),
        about_(about),
        bytes_read_(bytes_read) {}
  ~FileStream() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  std::size_t read(std::span<char> into) override {
    if (!has_end()) return read_some(fd_, into, name_);
    if (at_ >= about_.st_size) return 0;
    const auto left = static_cast<std::size_t>(about_.st_size - at_);
    const std::size_t n = read_some(fd_, into.first(std::min(into.size(), left)), name_);
    if (n == 0) changed();
    at_ += static_cast<off_t>(n);
    if (bytes_read_ != nullptr) *bytes_read_ += n;
    return n;
  }
  bool ready() override { return true; }
  bool rewind() override {
    struct stat now {};
    if (::fstat(fd_, &now) != 0) fail("cannot read " + name_, errno);
    const bool longer = now.st_size > about_.st_size;  // it may have been written on
    const bool touched = now.st_mtim.tv_sec != about_.st_mtim.tv_sec || now.st_mtim.tv_nsec != about_.st_mtim.tv_nsec;
    if (has_end() && !longer && (now.st_size < about_.st_size || touched)) changed();
    return seek(0);
  }
  bool seek(std::size_t byte) override {
    at_ = begin_ + static_cast<off_t>(byte);
    return ::lseek(fd_, at_, SEEK_SET) >= 0;
  }
  std::optional<std::size_t> size() override {
    if (!has_end()) return {};
    return static_cast<std::size_t>(std::max<off_t>(0, about_.st_size - begin_));
  }
  bool repeatable() const override { return true; }

 private:
  // Files that the system makes as they are read have no size.
  bool has_end() const { return about_.st_size > 0; }
  [[noreturn]] void changed() const {
    throw Error(Code::io, name_ + " was changed while it was read; let it rest, or read a copy of it");
  }

  int fd_;
  std::string name_;
  off_t begin_;
  off_t at_;
  struct stat about_;
  std::atomic<std::uint64_t>* bytes_read_;
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
  std::optional<std::size_t> size() override { return bytes_.size(); }
  bool repeatable() const override { return true; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t read_some(int fd, std::span<char> into, const std::string& name) {
  for (;;) {
    const ssize_t n = ::read(fd, into.data(), into.size());
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) fail("cannot read " + name, errno);
  }
}

bool comes_once(const std::string& path) {
  struct stat about {};
  return path == "-" || (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

std::unique_ptr<ByteStream> open_file(const std::string& path, const Keep& keep, int stop,
                                      std::atomic<std::uint64_t>* bytes_read) {
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
  if (S_ISREG(about.st_mode)) return std::make_unique<FileStream>(fd, name, about, bytes_read);
  return std::make_unique<PipeStream>(fd, name, keep, stop);
}

std::unique_ptr<ByteStream> in_memory(std::string bytes) { return std::make_unique<MemoryStream>(std::move(bytes)); }

std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> stream) {
  using namespace std::string_view_literals;
  constexpr std::string_view kGz = "\x1f\x8b"sv, kZst = "\x28\xb5\x2f\xfd"sv;
  std::array<char, kZst.size()> start{};
  std::string_view magic;
  // No byte more than it takes: a pipe would let us wait for it.
  while ((kGz.starts_with(magic) && magic != kGz) || (kZst.starts_with(magic) && magic != kZst)) {
    const std::size_t n = stream->read(std::span(start).subspan(magic.size()));
    if (n == 0) break;
    magic = {start.data(), magic.size() + n};
  }
  stream->rewind();
  if (magic.starts_with(kGz)) return gunzip(std::move(stream));
  if (magic == kZst) return unzstd(std::move(stream));
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

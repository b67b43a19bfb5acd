#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "expose/base/error.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

}  // namespace

Output::Output(const std::string& path, Begin begin) : path_(path == "-" ? "" : path), fd_(STDOUT_FILENO) {
  if (path_.empty()) return;
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (begin == Begin::fresh ? O_TRUNC : O_APPEND), 0666);
  if (fd_ < 0) fail();
}

Output::~Output() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBuffer) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      buffer_.clear();
      fail();
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  buffer_.clear();
}

void Output::sync() {
  flush();
  // EINVAL: a pipe or a device, which has no disk.
  if (fd_ > STDERR_FILENO && ::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail();
}

void Output::close() {
  flush();
  if (fd_ > STDERR_FILENO && ::close(std::exchange(fd_, -1)) != 0) fail();
}

void Output::fail() {
  whole_ = false;
  if (errno == EPIPE) throw ReaderGone{};
  throw Error(Code::io, "cannot write " + (path_.empty() ? "to standard output" : path_) + ": " +
                            std::generic_category().message(errno));
}

}  // namespace expose::cli

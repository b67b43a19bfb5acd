#include "io/pipe.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace expose::io {

void TemporaryFile::fail(const std::string& what, int error) const {
  throw Error(Code::io, what + ": " + std::strerror(error) + "; set TMPDIR to a folder with room for it, or write " +
                            whose_ + " to a file and name that");
}

void TemporaryFile::open() {
  const char* const wanted = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
  folder_ = wanted != nullptr && *wanted != '\0' ? wanted : "/tmp";
  std::string path = folder_ + "/expose_XXXXXX";
  fd_ = ::mkstemp(path.data());
  if (fd_ < 0) fail("cannot make a temporary file in " + folder_ + ", to read " + whose_ + " more than once", errno);
  ::unlink(path.c_str());
}

void TemporaryFile::append(std::span<const char> bytes) {
  if (fd_ < 0 && !bytes.empty()) open();
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot keep more of " + whose_ + " in " + folder_ + ", to read it more than once", errno);
    size_ += static_cast<std::size_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

std::size_t TemporaryFile::read(std::size_t at, std::span<char> into) const {
  for (;;) {
    const ssize_t n = ::pread(fd_, into.data(), std::min(into.size(), size_ - at), static_cast<off_t>(at));
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0 || errno != EINTR) fail("cannot read " + whose_ + " again from " + folder_, n == 0 ? EIO : errno);
  }
}

void TemporaryFile::drop() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  size_ = 0;
}

PipeStream::~PipeStream() {
  if (fd_ != STDIN_FILENO) ::close(fd_);
}

std::size_t PipeStream::read_again(std::span<char> into) {
  const std::size_t n =
      at_ < kept_.size() ? std::min(into.size(), kept_.size() - at_) : file_.read(at_ - kept_.size(), into);
  if (at_ < kept_.size()) std::copy_n(kept_.data() + at_, n, into.data());
  at_ += n;
  if (!keeping_ && at_ == stored()) forget();
  return n;
}

std::size_t PipeStream::read(std::span<char> into) {
  if (at_ < stored()) return read_again(into);
  if (failure_) throw Error(*failure_);
  wait();
  const std::size_t n = read_some(fd_, into, name_);
  if (keeping_) store(into.first(n));
  return n;
}

// For bytes, or for the word to stop: a signal that only interrupts read() could come just before it.
void PipeStream::wait() const {
  if (stop_ < 0) return;
  std::array<pollfd, 2> both = {pollfd{fd_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
  while (::poll(both.data(), both.size(), -1) < 0 && errno == EINTR) continue;
  if (both[1].revents != 0) throw Error(Code::cancelled, "reading was stopped");
}

void PipeStream::store(std::span<const char> bytes) {
  const std::size_t room = file_.size() > 0 ? 0 : keep_.bytes - kept_.size();
  if (bytes.size() > room && !keep_.again) return forget();
  const auto first = bytes.first(std::min(bytes.size(), room));
  if (kept_.capacity() - kept_.size() < first.size()) {
    kept_.reserve(std::min(keep_.bytes, std::max(2 * kept_.capacity(), kept_.size() + first.size())));
  }
  kept_.insert(kept_.end(), first.begin(), first.end());
  try {
    file_.append(bytes.subspan(first.size()));
  } catch (const Error& error) {
    failure_ = error;
  }
  at_ = stored();
  if (failure_) throw Error(*failure_);
}

void PipeStream::forget() {
  keeping_ = false;
  std::vector<char>().swap(kept_);  // an assignment would keep the memory
  file_.drop();
  at_ = 0;
}

bool PipeStream::ready() {
  if (at_ < stored() || failure_) return true;
  pollfd wait{fd_, POLLIN, 0};
  return ::poll(&wait, 1, 0) != 0;  // the end of the stream and errors are answered at once too
}

bool PipeStream::rewind() {
  if (keeping_) at_ = 0;
  return keeping_;
}

bool PipeStream::seek(std::size_t byte) {
  if (!repeatable()) return false;
  at_ = stored();
  std::array<char, 65536> passed;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  while (stored() < byte) {
    if (read(passed) == 0) break;
  }
  at_ = std::min(byte, stored());
  return true;
}

std::optional<std::size_t> PipeStream::size() {
  if (!keeping_) return {};
  keep_.again = true;
  seek(std::numeric_limits<std::size_t>::max());
  return stored();
}

void PipeStream::no_rewind() {
  keeping_ = false;
  if (at_ == stored()) forget();
}

}  // namespace expose::io

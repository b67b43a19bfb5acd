// Pipes with a name, and threads that write into them.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "tests/io/files.hpp"

namespace expose::io {

class Fifo {
 public:
  explicit Fifo(const std::string& name = "fifo") : path_(folder_.path(name)) { ::mkfifo(path_.c_str(), 0600); }
  const std::string& path() const { return path_; }

 private:
  Folder folder_;
  std::string path_;
};

// The writing end; opens when the reader does. A reader that goes away is no signal, just an end.
class FifoEnd {
 public:
  explicit FifoEnd(const std::string& path) {
    std::signal(SIGPIPE, SIG_IGN);
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  }
  ~FifoEnd() { ::close(fd_); }
  FifoEnd(const FifoEnd&) = delete;
  FifoEnd& operator=(const FifoEnd&) = delete;

  // False once nobody reads.
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

 private:
  int fd_;
};

// A pipe that gives these bytes, once.
class Piped {
 public:
  explicit Piped(std::string bytes, const std::string& name = "fifo")
      : fifo_(name), writer_([this, bytes = std::move(bytes)] { FifoEnd(fifo_.path()).write(bytes); }) {}
  const std::string& path() const { return fifo_.path(); }

 private:
  Fifo fifo_;
  std::jthread writer_;
};

}  // namespace expose::io

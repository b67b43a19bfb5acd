#include "expose/detector/file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "expose/detector/file_kind.hpp"
#include "expose/detector/frame.hpp"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace expose {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_io(const char* verb, const fs::path& path, const std::string& reason) {
  throw Error(Code::io, std::string("cannot ") + verb + " " + path.string() + ": " + reason);
}

[[noreturn]] void throw_errno(const char* verb, const fs::path& path) {
  throw_io(verb, path, std::generic_category().message(errno));
}

// The file to replace: a symbolic link followed, and nothing that is there and no file (a directory, a device).
fs::path target_of(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::is_directory(status)) throw_io("write", path, "it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) throw_io("write", path, "it is not a regular file");
  const fs::path target = fs::exists(status) ? fs::canonical(path, none) : fs::path(path);
  return target.empty() ? fs::path(path) : target;
}

#ifdef _WIN32

void write_new(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw_errno("write", path);
}

void write_and_rename(const fs::path& target, std::span<const std::byte> bytes) {
  fs::path fresh = target;
  fresh += ".tmp";
  std::error_code error;
  try {
    write_new(fresh, bytes);
    fs::rename(fresh, target, error);
    if (error) throw_io("write", target, error.message());
  } catch (...) {
    fs::remove(fresh, error);
    throw;
  }
}

#else

// An open file, closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  bool open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  // Some file systems say only here that the disk is full.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// A file that did not exist before, and that nobody will see unless it is renamed.
class Fresh {
 public:
  explicit Fresh(const fs::path& target) : file_(create(target)) {}
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  ~Fresh() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  // The permissions of the file it will replace, if there is one.
  bool take_permissions(const fs::path& target) const {
    struct stat old = {};
    return ::stat(target.c_str(), &old) != 0 || ::fchmod(file_.get(), old.st_mode & 07777) == 0;
  }
  bool write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno != EINTR) return false;
      if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
  }
  bool sync() { return ::fsync(file_.get()) == 0 && file_.close(); }
  bool rename(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  // The process and a number make the name; who has left one of that name behind does not matter.
  int create(const fs::path& target) {
    for (unsigned i = 0;; ++i) {
      fs::path path = target;
      path += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(i);
      const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && errno == EEXIST) continue;
      if (fd < 0) throw_errno("write", target);
      path_ = std::move(path);
      return fd;
    }
  }

  fs::path path_;  // before file_, whose making sets it
  Descriptor file_;
};

// write, fsync, rename, fsync the directory: the order that a crash cannot come between.
void write_and_rename(const fs::path& target, std::span<const std::byte> bytes) {
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.open()) throw_errno("write", target);
  Fresh fresh(target);
  if (!fresh.take_permissions(target) || !fresh.write(bytes) || !fresh.sync() || !fresh.rename(target)) {
    throw_errno("write", target);
  }
  // Not every file system can do this for a directory; those that cannot say EINVAL.
  if (::fsync(directory.get()) != 0 && errno != EINVAL) throw_errno("bring to the disk", target);
}

// For reading and writing, since locks of network file systems ask for it; nothing is written. A pipe does not wait.
Descriptor open_to_lock(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return Descriptor(fd >= 0 ? fd : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

bool take_lock(int fd, int how) {
  int taken = 0;
  do {
    taken = ::flock(fd, how);
  } while (taken != 0 && errno == EINTR);
  return taken == 0;
}

// Whether the path still is the file that is open: whoever had the lock before may have replaced it.
bool still_is(const std::string& path, int fd) {
  struct stat here = {}, there = {};
  return ::fstat(fd, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

#endif

std::ifstream open_to_read(const std::string& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) throw_io("read", path, "it is a directory");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_errno("read", path);
  return in;
}

// The first bytes of a file, as many as there are.
std::vector<std::byte> read_beginning(const std::string& path, std::size_t n) {
  std::ifstream in = open_to_read(path);
  std::vector<std::byte> bytes(n);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(n));
  if (in.bad()) throw_errno("read", path);
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace

#ifdef _WIN32

UpdateLock::UpdateLock(const std::string&, const std::function<void()>&) {}
UpdateLock::~UpdateLock() = default;

#else

UpdateLock::UpdateLock(const std::string& path, const std::function<void()>& waiting) {
  bool said = false;
  while (true) {
    Descriptor file = open_to_lock(path);
    if (!file.open()) return;
    if (!take_lock(file.get(), LOCK_EX | LOCK_NB)) {
      if (errno != EWOULDBLOCK) return;
      if (waiting && !said) waiting();
      said = true;
      if (!take_lock(file.get(), LOCK_EX)) return;
    }
    if (!still_is(path, file.get())) continue;
    descriptor_ = file.release();
    return;
  }
}

UpdateLock::~UpdateLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

#endif

FileKind kind_of(const std::string& path) {
  try {
    return kind_of_beginning(read_beginning(path, kBeginning));
  } catch (const Error& error) {
    if (error.code() == Code::io) throw;
    throw Error(error.code(), path + ": " + error.what());
  }
}

// The magic alone could be a table with one column, EXPOSE. No version has a high byte yet, and no text has a 0.
bool is_model_file(const std::string& path) {
  constexpr std::size_t kMagicAndVersion = 12;
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  try {
    const std::vector<std::byte> beginning = read_beginning(path, kMagicAndVersion);
    require_magic(beginning);
    return beginning.size() == kMagicAndVersion && beginning.back() == std::byte{0};
  } catch (const Error&) {
    return false;
  }
}

void write_atomically(const std::string& path, std::span<const std::byte> bytes) {
  write_and_rename(target_of(path), bytes);
}

std::vector<std::byte> read_whole(const std::string& path) {
  std::ifstream in = open_to_read(path);
  std::vector<std::byte> bytes;
  std::size_t block = 8;  // the magic, and then in strides
  while (in) {
    const std::size_t there = bytes.size();
    bytes.resize(there + block);
    in.read(reinterpret_cast<char*>(bytes.data() + there), static_cast<std::streamsize>(block));
    bytes.resize(there + static_cast<std::size_t>(in.gcount()));
    if (there == 0) require_magic(bytes);
    block = std::size_t{1} << 20;
  }
  if (in.bad()) throw_errno("read", path);
  return bytes;
}

}  // namespace expose

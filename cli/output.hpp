// Output: where results go: a file, or standard output.
//
// Buffered; what did not arrive is an Error. A reader of standard output that went away is no error: ReaderGone ends
// the command quietly. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace expose::cli {

// The reader of standard output went away, as `head` does.
struct ReaderGone {};

class Output {
 public:
  // Whether what a file holds is replaced, or stays and more comes behind it.
  enum class Begin { fresh, behind };

  // Empty or "-": standard output. Throws Code::io, with the path and the reason.
  explicit Output(const std::string& path = {}, Begin begin = Begin::fresh);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  void write(std::string_view text);
  void flush();
  // Flushes, and brings a file to the disk.
  void sync();
  // Flushes and closes; some file systems say only here that the disk is full. Nothing may be written afterwards.
  void close();
  // False once something could not be written: what came behind it is lost.
  bool whole() const { return whole_; }

 private:
  [[noreturn]] void fail();

  std::string path_;
  int fd_;
  std::string buffer_;
  bool whole_ = true;
};

}  // namespace expose::cli

// The files that one command reads and writes: none may be both, or it would be lost.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace expose::cli {

// A file that was named on the command line.
struct NamedFile {
  std::string path;    // empty or "-": standard input, or standard output
  std::string option;  // "--output", or the name of a positional
  FileUse use = FileUse::none;
};

// Whether both names mean one regular file, or would once they are written. Devices and pipes are no files here.
bool same_file(const std::string& a, const std::string& b);

// Throws CommandError, naming the file and what to do, if a file that is written is also read, or written twice. A
// model that was read may be replaced as a whole (learn -m a -o a).
void require_apart(const std::vector<NamedFile>& files);

}  // namespace expose::cli

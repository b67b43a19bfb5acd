// Bytes to a file and back: the disk side of everything EXPoSE stores.
//
// A file is there as a whole or not at all: whoever opens the path while it is written, or after the power went, finds
// the old content or the new one. Functions without state; any number of threads may call them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "expose/base/error.hpp"

namespace expose {

// Writes a new file beside the old one, brings it to the disk, and renames it over the old one, whose permissions it
// takes over. A symbolic link stays one: the file it points to is replaced. Throws Code::io, with the path and the
// reason, if anything fails; the old file is then untouched and the new one gone.
void write_atomically(const std::string& path, std::span<const std::byte> bytes);

// A file that frame made, whole. Throws Code::io, with the path and the reason, if it cannot be read; Code::corrupt for
// one that does not begin like ours, before it is read: nobody waits for a film to be loaded as a model.
std::vector<std::byte> read_whole(const std::string& path);

// What parse makes of the bytes of a file. Its complaints get the path in front.
template <class Parse>
auto parse_file(const std::string& path, const Parse& parse) {
  try {
    const std::vector<std::byte> bytes = read_whole(path);
    return parse(bytes);
  } catch (const Error& error) {
    if (error.code() == Code::io) throw;
    throw Error(error.code(), path + ": " + error.what());
  }
}

}  // namespace expose

// Bytes to a file and back: the disk side of everything EXPoSE stores.
//
// A file is there as a whole or not at all: whoever opens the path while it is written, or after the power went, finds
// the old content or the new one. Functions without state; any number of threads may call them.
// UpdateLock: whoever loads, changes and saves a file holds it meanwhile, so that nobody's change is lost.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "expose/base/api.hpp"
#include "expose/base/error.hpp"

namespace expose {

// Writes a new file beside the old one, brings it to the disk, and renames it over the old one, whose permissions it
// takes over. A symbolic link stays one: the file it points to is replaced. Throws Code::io, with the path and the
// reason, if anything fails; the old file is then untouched and the new one gone.
void write_atomically(const std::string& path, std::span<const std::byte> bytes);

// A file that frame made, whole. Throws Code::io, with the path and the reason, if it cannot be read; Code::corrupt for
// one that does not begin like ours, before it is read: nobody waits for a film to be loaded as a model.
std::vector<std::byte> read_whole(const std::string& path);

// Exclusive among the processes that update one file, from its making to its end. It lies on the file itself (flock),
// so that nothing is left behind; a file that was replaced meanwhile is locked anew. Readers need none: see above. No
// lock, and no error: a file that is not there yet, a file system without locks, Windows.
class EXPOSE_API UpdateLock {
 public:
  // waiting: called once if somebody else has the lock, before it is waited for.
  explicit UpdateLock(const std::string& path, const std::function<void()>& waiting = {});
  UpdateLock(const UpdateLock&) = delete;
  UpdateLock& operator=(const UpdateLock&) = delete;
  ~UpdateLock();

  bool held() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

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

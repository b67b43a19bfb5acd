// The model file: a detector as bytes, and on disk. docs/model-format.md describes it byte by byte.
//
// Equal detectors of equal tables have equal bytes, on every machine; saved, loaded and saved again too. Loading runs
// no code from the file, checks every bound before it allocates, and reads what any earlier version wrote.
// Functions without state; any number of threads may call them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "expose/detector/detector.hpp"

namespace expose {

// Throws Code::overflow for a map that is too large for a file (r above 2^24, r x d above 2^31, Nystrom: r above 2^14).
EXPOSE_API std::vector<std::byte> to_bytes(const Detector& detector);
// threads: how many the detector works with; 0: all cores.
// Throws Code::corrupt for bytes that are no model, or were damaged; Code::incompatible for a newer format version and
// for the file of a Watcher.
EXPOSE_API Detector detector_from_bytes(std::span<const std::byte> bytes, std::size_t threads = 0);

// Atomic and durable: the path has the old file or the new one, whatever happens in between; afterwards it is on the
// disk. Throws Code::io if it cannot be written, and leaves the old file as it was.
EXPOSE_API void save(const Detector& detector, const std::string& path);
// Throws Code::io if the file cannot be read, else as detector_from_bytes does, with the path before the sentence.
EXPOSE_API Detector load(const std::string& path, std::size_t threads = 0);

}  // namespace expose

// FileKind: what a file of ours holds, found at its beginning, before anything of it is loaded.
// Functions without state; any number of threads may call them.
#pragma once

#include <cstdint>
#include <string>

#include "expose/base/api.hpp"

namespace expose {

enum class FileKind : std::uint8_t { detector = 1, watcher = 2 };

// "detector", "watcher"
EXPOSE_API std::string name(FileKind kind);

// Throws Code::io, with the path and the reason, if the file cannot be read; Code::corrupt for one that does not begin
// like ours; Code::incompatible for a newer format version. Whether the rest of it is whole shows when it is loaded.
EXPOSE_API FileKind kind_of(const std::string& path);

// Whether the file begins like ours: a model, not data. False for what cannot be read, and for pipes and devices, which
// are not touched.
EXPOSE_API bool is_model_file(const std::string& path);

}  // namespace expose

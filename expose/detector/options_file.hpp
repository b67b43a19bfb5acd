// Options as bytes: what a watcher without a plan has to keep. Pure functions; any number of threads may call them.
#pragma once

#include "expose/base/bytes.hpp"
#include "expose/detector/options.hpp"

namespace expose {

// The first version that has room for the options.
std::uint32_t version_of(const Options& options);

// version: that of the file, version_of(options) or later. Throws Code::overflow for r above 2^24. REQUIRES: fdr,
// contamination and top are open: a stream has none of them
void write_options(Writer& writer, const Options& options, std::uint32_t version);
// Throws Code::corrupt, or what require_valid throws, for bytes that are no options.
Options read_options(Reader& reader, std::uint32_t version);

}  // namespace expose

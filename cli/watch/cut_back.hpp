// Cuts a file that a stream was writing back to what is known of the stream, so that what comes again stands in it
// once.
#pragma once

#include <cstddef>
#include <string>

#include "cli/choices.hpp"

namespace expose::cli {

// Keeps the rows up to `last` of a file of rows in ascending order, numbered in their first field; a line that was cut
// short goes too. header: what the file begins with. False if there is nothing to keep, or it is no file but a pipe or
// a device: then it is begun anew.
// Throws Code::corrupt, and leaves the file as it is, if that is not what it holds; Code::io where the system fails.
bool cut_back(const std::string& path, Format format, const std::string& header, std::size_t last);

}  // namespace expose::cli

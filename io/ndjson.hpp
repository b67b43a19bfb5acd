// ndjson: one JSON object a line. Objects in objects are flattened with dots: {"a": {"b": 1}} has a column a.b.
//
// The columns are the keys of the first lines; a key that a line lacks, and null, are missing values; keys that come
// later are passed over. A line that is no object is a bad row. Lists are texts.
#pragma once

#include <memory>
#include <string_view>

#include "io/text_format.hpp"

namespace expose::io {

// head: the beginning of the file; whole: it is all of it. Throws Code::corrupt if its first line is no object.
std::unique_ptr<TextFormat> ndjson_format(std::string_view head, bool whole);

}  // namespace expose::io

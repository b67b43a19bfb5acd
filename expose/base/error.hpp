// The one exception of the library: a code for programs, a sentence for people.
//
// The sentence says what was wrong with both numbers in it ("rows have 7 columns, the map takes 8").
// Whoever throws has changed nothing yet: after an Error every object is as it was before the call.
#pragma once

#include <stdexcept>
#include <string>

#include "expose/base/api.hpp"

namespace expose {

enum class Code {
  invalid_argument,  // a parameter outside its range
  shape_mismatch,    // rows, weights or outputs of the wrong size
  not_finite,        // NaN or infinity in a row
  incompatible,      // two models or maps that do not belong together
  overflow,          // more weight than exact sums can hold
  not_found,         // a row, mark or name that is not there
  corrupt,           // bytes that are not what they claim to be
  cancelled,         // stopped on request
  io,                // a file that cannot be read or written
};

// "invalid_argument", ...: the name of a code, the same on all faces.
EXPOSE_API const char* name(Code code);

class EXPOSE_API Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

}  // namespace expose

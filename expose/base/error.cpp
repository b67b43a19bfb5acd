#include "expose/base/error.hpp"

namespace expose {

const char* name(Code code) {
  switch (code) {
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::shape_mismatch:
      return "shape_mismatch";
    case Code::not_finite:
      return "not_finite";
    case Code::incompatible:
      return "incompatible";
    case Code::overflow:
      return "overflow";
    case Code::not_found:
      return "not_found";
    case Code::corrupt:
      return "corrupt";
    case Code::cancelled:
      return "cancelled";
    case Code::io:
      return "io";
  }
  return "unknown";
}

}  // namespace expose

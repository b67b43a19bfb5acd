#include "expose/base/version.hpp"

namespace expose {

const char* version() { return EXPOSE_VERSION; }

}  // namespace expose

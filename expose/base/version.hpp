// version(): which EXPoSE this is, "0.1.0"; the same number that CMake and the package have.
#pragma once

#include "expose/base/api.hpp"

namespace expose {

EXPOSE_API const char* version();

}  // namespace expose

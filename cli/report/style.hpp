// The style of a report page: colours for light and dark, safe for the colour-blind (blue and orange, and shades that
// differ in lightness), a column that fits paper and small screens.
#pragma once

#include <string_view>

namespace expose::cli {

std::string_view report_style();

}  // namespace expose::cli

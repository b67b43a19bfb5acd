// The command `expose`: finds the verb, reads its arguments, does it, and turns what went wrong into an exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"

namespace expose::cli {

// words: what was typed behind the name of the program.
int run(const std::vector<std::string>& words, Console& console);

}  // namespace expose::cli

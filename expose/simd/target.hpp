// Which instruction set the inner loops run on.
//
// Chosen once, at run time: the best one that this CPU has and that was compiled in. The environment variable
// EXPOSE_TARGET forces another by name (the only thing the library ever reads from the environment). Every target
// gives the same bits; only the speed differs.
#pragma once

#include <string>
#include <vector>

#include "expose/base/api.hpp"

namespace expose::simd {

// The targets this CPU can run, the fastest first: "AVX3", "AVX2", "SCALAR" on a recent x86.
EXPOSE_API std::vector<std::string> targets();

// The target in use.
EXPOSE_API std::string target();

// Uses this target from now on. Not while other threads compute. Throws Code::not_found, naming those there are.
EXPOSE_API void force_target(const std::string& name);

// Obeys EXPOSE_TARGET on the first call, in any thread; later calls do nothing. Every map calls it when it is made.
void obey_environment();

}  // namespace expose::simd

// Runs something on every CPU target of this machine and puts the best one back afterwards.
#pragma once

#include <string>

#include "expose/simd/target.hpp"

namespace expose {

template <class F>
void on_every_target(const F& f) {
  const std::string before = simd::target();
  for (const std::string& target : simd::targets()) {
    simd::force_target(target);
    f(target);
  }
  simd::force_target(before);
}

}  // namespace expose

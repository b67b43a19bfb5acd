// complaint(f): what f complains about, "shape_mismatch: rows have 7 columns, the map takes 8". Tests compare the whole
// sentence, so that a message cannot lose its numbers unseen.
#pragma once

#include <string>

#include "expose/base/error.hpp"

namespace expose {

template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.what();
  }
  return "no complaint";
}

}  // namespace expose

#include "expose/detector/verdict.hpp"

#include <array>

namespace expose {

std::string name(Status status) {
  constexpr std::array<const char*, 4> kNames = {"ok", "learning", "unknown", "rejected"};
  return kNames.at(static_cast<std::size_t>(status));
}

}  // namespace expose

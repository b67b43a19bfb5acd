// Memory: which past a model remembers, and how strongly. The three online variants of the paper:
//   Everything     Proposition 1, every row counts the same:       MeanMap
//   Window{l}      Proposition 2, the last l rows:                 WindowMean
//   Fading{gamma}  Proposition 3, older rows count less and less:  FadingMean
// Immutable values; threads may share them.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "expose/base/api.hpp"

namespace expose {

struct Everything {
  bool operator==(const Everything&) const = default;
};
struct Window {
  std::size_t length = 0;  // l >= 1, rows
  bool operator==(const Window&) const = default;
};
struct Fading {
  double gamma = 0.0;  // in [0, 1): the weight of the newest row; 0 keeps the first row only
  bool operator==(const Fading&) const = default;
};

using Memory = std::variant<Everything, Window, Fading>;

// Throws Code::invalid_argument, naming the value, for a window of 0 rows (or over 2^40) or gamma outside [0, 1).
EXPOSE_API void require_valid(const Memory& memory);

// "everything", "window:500", "fading:0.01"
EXPOSE_API std::string name(const Memory& memory);
// The memory of that name, valid. Throws Code::invalid_argument, saying what is possible, for any other.
EXPOSE_API Memory memory_named(const std::string& name);

}  // namespace expose

// Whether what was said of the columns can be, and is what a model was made with: nothing that was said may be passed
// over.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "expose/encode/columns.hpp"
#include "expose/encode/guess.hpp"

namespace expose::cli {

inline bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Throws CommandError if a column has two roles that exclude each other; a time may be the id too.
void require_one_role(const ColumnChoice& choice);

// Not of id and label, which may differ from file to file. Throws CommandError, with the option; model: its name.
void require_same_columns(const std::string& model, const ColumnChoice& choice, const Columns& columns);

}  // namespace expose::cli

// block_of(rows): a block of texts, as a reader that was asked for all_texts gives it.
#pragma once

#include <string>
#include <vector>

#include "expose/encode/table.hpp"

namespace expose {

inline TableBlock block_of(const std::vector<std::vector<std::string>>& rows, const Layout& layout) {
  std::size_t bytes = 0;
  for (const auto& row : rows) {
    for (const std::string& text : row) bytes += text.size();
  }
  TableBlock block;
  block.begin(layout, bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    block.add_row(i);
    for (std::size_t c = 0; c < rows[i].size(); ++c) {
      const Place& place = layout.columns[c];
      if (place.want == Want::text) block.set_text(i, place.at, rows[i][c]);
    }
  }
  return block;
}

}  // namespace expose

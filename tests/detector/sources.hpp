// Sources for the tests of fit and detect: tables that come in blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "expose/detector/source.hpp"
#include "tests/support/tables.hpp"

namespace expose {

// A table that comes in blocks. Each is a copy in one buffer: who looks at a block after the next one came sees it.
class Blocks : public Source {
 public:
  Blocks(const Table& table, std::size_t block, int rewinds = 1000)
      : table_(table), block_(block), rewinds_left_(rewinds) {}

  Records next() override {
    const std::size_t begin = at_ * table_.d;
    at_ = std::min(at_ + block_, table_.n());
    std::fill(buffer_.begin(), buffer_.end(), std::numeric_limits<float>::quiet_NaN());
    buffer_.assign(table_.values.begin() + static_cast<std::ptrdiff_t>(begin),
                   table_.values.begin() + static_cast<std::ptrdiff_t>(at_ * table_.d));
    if (buffer_.empty()) ++ends;
    return Rows(buffer_, table_.d);
  }
  bool rewind() override {
    if (rewinds_left_ == 0) return false;
    --rewinds_left_;
    at_ = 0;
    return true;
  }

  int ends = 0;  // passes that came to the end

 private:
  const Table& table_;
  std::size_t block_;
  int rewinds_left_;
  std::size_t at_ = 0;
  std::vector<float> buffer_;
};

// It can be read once.
inline Blocks pipe(const Table& table, std::size_t block) { return Blocks(table, block, 0); }

}  // namespace expose

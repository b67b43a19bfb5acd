// Source: rows that come in blocks: from a file, a generator, a database. Larger than memory is fine.
//
// next() gives the next block (a view, good until the next call) or an empty one at the end. rewind() goes back to the
// beginning, or returns false where that is not possible; then a plan is made on the first rows alone.
#pragma once

#include <functional>

#include "expose/base/records.hpp"

namespace expose {

class EXPOSE_API Source {
 public:
  virtual ~Source() = default;
  virtual Records next() = 0;
  virtual bool rewind() = 0;
};

// Called now and then during long work with the rows done so far, in all passes; false stops it (Code::cancelled).
using Progress = std::function<bool(std::size_t rows_done)>;

}  // namespace expose

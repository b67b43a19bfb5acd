// Interrupt: lets whoever calls a long function look up from it now and then: for Ctrl-C, for a deadline.
//
// While one lives, long work that its thread has started calls it between two blocks of rows, on that thread alone.
// What it throws ends the work and comes out of the call, and every object is as it was before (law 5). Of several the
// innermost counts. One thread only.
#pragma once

#include <functional>

#include "expose/base/api.hpp"

namespace expose {

class EXPOSE_API Interrupt {
 public:
  explicit Interrupt(std::function<void()> look_up);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

 private:
  friend void look_up();

  std::function<void()> look_up_;
  const Interrupt* outer_;
};

// Calls the one of this thread; nothing if there is none.
void look_up();

}  // namespace expose

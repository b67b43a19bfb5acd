#include "expose/base/interrupt.hpp"

#include <utility>

namespace expose {
namespace {

thread_local const Interrupt* t_innermost = nullptr;

}  // namespace

Interrupt::Interrupt(std::function<void()> look_up)
    : look_up_(std::move(look_up)), outer_(std::exchange(t_innermost, this)) {}

Interrupt::~Interrupt() { t_innermost = outer_; }

void look_up() {
  if (t_innermost != nullptr) t_innermost->look_up_();
}

}  // namespace expose

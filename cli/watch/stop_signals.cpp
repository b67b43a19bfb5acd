#include "cli/watch/stop_signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace expose::cli {

namespace {

// What a handler may touch.
volatile std::sig_atomic_t signal_came = 0;
std::array<int, 2> ends = {-1, -1};

extern "C" void note_signal(int) {
  const int error = errno;
  signal_came = 1;
  [[maybe_unused]] const ssize_t written = ::write(ends[1], "", 1);  // cannot fail: nobody else writes here
  errno = error;
}

}  // namespace

StopSignals::StopSignals() {
  signal_came = 0;
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  }
  struct sigaction note {};
  note.sa_handler = note_signal;
  note.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&note.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &note, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  ::close(ends[0]);
  ::close(ends[1]);
}

bool StopSignals::came() const { return signal_came != 0; }

int StopSignals::descriptor() const { return ends[0]; }

}  // namespace expose::cli

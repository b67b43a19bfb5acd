// StopSignals: SIGINT, SIGTERM and SIGHUP as a wish to finish, for as long as it lives.
//
// The first one is noted; a second one ends the process as if there were nothing here. Signals that are ignored, as
// under nohup, stay so. One at a time in a process.
#pragma once

#include <array>
#include <csignal>

namespace expose::cli {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Whether one came.
  bool came() const;
  // Can be read from then on: for those who wait.
  int descriptor() const;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace expose::cli

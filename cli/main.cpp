#include <csignal>
#include <string>
#include <vector>

#include "cli/app.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is seen when writing, and is no error
  expose::cli::Console console(expose::cli::Console::of_process());
  return expose::cli::run(std::vector<std::string>(argv + 1, argv + argc), console);
}

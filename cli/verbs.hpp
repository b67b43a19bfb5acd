// The verbs: one file each. A verb declares its arguments and gives back what is to be done once they are read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "expose/base/error.hpp"

namespace expose::cli {

// Exit codes, as interface and man page promise.
inline constexpr int kDone = 0;
inline constexpr int kBadInput = 1;
inline constexpr int kBadCommand = 2;
inline constexpr int kSkippedRows = 3;

// What should not have been typed.
class CommandError : public Error {
 public:
  explicit CommandError(const std::string& sentence) : Error(Code::invalid_argument, sentence) {}
};

// Does the work; the exit code. Throws Error for bad input (1); CommandError for what should not have been typed (2).
using Job = std::function<int(Console&)>;

struct Verb {
  std::string name;
  std::string summary;  // a few words, for the list of verbs
  std::function<Job(Arguments&)> declare;
};

// In the order in which people meet them.
const std::vector<Verb>& verbs();

Job declare_detect(Arguments& arguments);
Job declare_fit(Arguments& arguments);
Job declare_judge(Arguments& arguments);
Job declare_learn(Arguments& arguments);
Job declare_forget(Arguments& arguments);
Job declare_merge(Arguments& arguments);
Job declare_watch(Arguments& arguments);
Job declare_drift(Arguments& arguments);
Job declare_tune(Arguments& arguments);
Job declare_evaluate(Arguments& arguments);
Job declare_inspect(Arguments& arguments);
Job declare_report(Arguments& arguments);

}  // namespace expose::cli

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/files.hpp"
#include "cli/same_columns.hpp"
#include "cli/verbs.hpp"
#include "cli/watch/watch.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/file_kind.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

namespace {

constexpr const char* kOpen = "auto";

std::string or_open(const std::optional<double>& number) { return number ? text(*number) : kOpen; }

// The value of an option of the plan, as it is typed.
std::string value_of(const std::string& option, const Options& options) {
  if (option == "--kernel") return name(options.kernel);
  if (option == "--bandwidth") return or_open(options.bandwidth);
  if (option == "--map") return options.map ? name(*options.map) : kOpen;
  if (option == "--r") return options.r ? std::to_string(*options.r) : kOpen;
  if (option == "--scale") return options.scale ? name(*options.scale) : kOpen;
  if (option == "--memory") return name(options.memory);
  if (option == "--trim") return or_open(options.trim);
  if (option == "--missing") return name(options.missing);
  if (option == "--preset") return name(options.preset);
  return std::to_string(options.seed);
}

// The same of a plan that is made.
std::string value_of(const std::string& option, const Plan& plan) {
  const Recipe& recipe = plan.map()->recipe();
  if (option == "--kernel") return name(plan.kernel());
  if (option == "--bandwidth") return text(bandwidth(plan.kernel()));
  if (option == "--map") return name(recipe.kind);
  if (option == "--r") return std::to_string(recipe.r);
  if (option == "--scale") return name(plan.scaler().kind());
  if (option == "--memory") return name(plan.memory());
  if (option == "--trim") return text(plan.parts().trim);
  if (option == "--missing") return name(plan.missing());
  if (option == "--preset") return name(plan.scaler().kind() == Scale::none ? Preset::paper : Preset::balanced);
  return std::to_string(plan.parts().seed);
}

// Whether a plan made with these options may have another value than the one that was said.
bool may_differ(const std::string& option, const Options& options, const Plan& plan) {
  const Recipe& recipe = plan.map()->recipe();
  if (option == "--kernel" || option == "--bandwidth") return !has_kernel(recipe.kind);
  if (option == "--r") return has_landmarks(recipe.kind) && recipe.r < options.r.value_or(0);  // of so few rows
  if (option == "--missing") return options.missing == Missing::integrate && !integrates(recipe.kind, recipe.kernel);
  if (option == "--preset") return options.scale.has_value();
  return false;
}

[[noreturn]] void throw_other(const std::string& path, const std::string& option, const std::string& said,
                              const std::string& there) {
  throw CommandError(option + " " + said + ": " + path + " was made with " + there +
                     "; leave the option out, or begin with another file");
}

void require_same_plan(const std::string& path, const WatchChoice& choice, const Watcher& watcher) {
  for (const std::string& option : choice.said) {
    const std::string said = value_of(option, choice.options);
    if (said == kOpen) continue;
    const std::string there =
        watcher.planned() ? value_of(option, watcher.plan()) : value_of(option, watcher.options());
    if (said == there || (watcher.planned() && may_differ(option, choice.options, watcher.plan()))) continue;
    throw_other(path, option, said, there);
  }
}

void require_same(const std::string& path, const WatchChoice& choice, const Watcher& watcher) {
  require_same_plan(path, choice, watcher);
  if (watcher.table()) require_same_columns(path, choice.input.columns, *watcher.table());
  if (watcher.table() || watcher.planned()) return;
  throw Error(Code::incompatible, path + " has neither a plan nor columns: it was not written by this command");
}

Watcher watcher_of(const std::string& path) {
  if (kind_of(path) == FileKind::watcher) return load_watcher(path);
  const Detector detector = load(path, 1);
  const Alpha* const alpha = std::get_if<Alpha>(&detector.threshold());
  return Watcher(detector.plan(), alpha != nullptr ? alpha->alpha : Alpha{}.alpha);
}

}  // namespace

Start begin_watch(const WatchChoice& choice) {
  Start start;
  const bool there = !choice.checkpoint.empty() && std::filesystem::exists(choice.checkpoint);
  if (!choice.model.empty() && !(there && same_file(choice.model, choice.checkpoint))) {
    start.watcher = watcher_of(choice.model);
    start.watcher->count_anew();
    require_same(choice.model, choice, *start.watcher);
  }
  if (there) {
    if (kind_of(choice.checkpoint) != FileKind::watcher) {
      throw Error(Code::incompatible, choice.checkpoint + " is the file of a detector, not of a watcher: -m " +
                                          choice.checkpoint + " takes its plan; name another file for --checkpoint");
    }
    Watcher watcher = load_watcher(choice.checkpoint);
    require_same(choice.checkpoint, choice, watcher);
    if (start.watcher && start.watcher->planned() &&
        (!watcher.planned() || watcher.plan().fingerprint() != start.watcher->plan().fingerprint())) {
      throw_other(choice.checkpoint, "--model", choice.model, "another plan, or from another model");
    }
    start.watcher = std::move(watcher);
    start.goes_on = true;
  }
  if (start.watcher && choice.alpha) start.watcher->set_alpha(*choice.alpha);
  return start;
}

Options stream_options(const WatchChoice& choice) {
  ThresholdChoice alpha;
  alpha.alpha = choice.alpha;
  const Options options = with(choice.options, alpha, 1);
  try {
    const Watcher valid(options);
  } catch (const Error& error) {
    throw CommandError(error.what());
  }
  return options;
}

CheckpointLock::CheckpointLock(const std::string& checkpoint) : path_(checkpoint + ".lock") {
  // Whoever had it before may take the file away between the two steps; a file system without locks gives none.
  for (int i = 0; i < 3 && !(lock_ && lock_->held()); ++i) {
    const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
      throw Error(Code::io,
                  "cannot write the checkpoint " + checkpoint + ": " + std::generic_category().message(errno));
    }
    ::close(fd);
    lock_.emplace(path_, [&] {
      throw Error(Code::io, checkpoint + " is in use by another watch; it would lose its rows, or this one");
    });
  }
}

CheckpointLock::~CheckpointLock() { ::unlink(path_.c_str()); }

bool holds_old_rows(const std::vector<std::string>& files) {
  const auto is_file = [](const std::string& path) {
    struct stat about {};
    const int failed = path == "-" ? ::fstat(STDIN_FILENO, &about) : ::stat(path.c_str(), &about);
    return failed == 0 && S_ISREG(about.st_mode);
  };
  return files.empty() ? is_file("-") : std::ranges::all_of(files, is_file);
}

}  // namespace expose::cli

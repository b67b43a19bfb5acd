#include "cli/files.hpp"

#include <filesystem>
#include <system_error>

#include "cli/verbs.hpp"

namespace expose::cli {

namespace {

namespace fs = std::filesystem;

bool is_written(FileUse use) { return use == FileUse::written || use == FileUse::replaced; }

bool is_standard(const std::string& path) { return path.empty() || path == "-"; }

// A file that comes through standard input has no name of its own.
std::string name_of(const NamedFile& file) { return is_standard(file.path) ? "/dev/stdin" : file.path; }

bool may_share(const NamedFile& a, const NamedFile& b) {
  if (!is_written(a.use) && !is_written(b.use)) return true;
  if (is_written(a.use) && is_standard(a.path)) return true;
  if (is_written(b.use) && is_standard(b.path)) return true;
  return (a.use == FileUse::model && b.use == FileUse::replaced) ||
         (a.use == FileUse::replaced && b.use == FileUse::model);
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  return !fs::exists(a, error) && !fs::exists(b, error) &&
         fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

void require_apart(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      if (may_share(files[i], files[j]) || !same_file(name_of(files[i]), name_of(files[j]))) continue;
      const NamedFile& written = is_written(files[j].use) ? files[j] : files[i];
      const NamedFile& other = is_written(files[j].use) ? files[i] : files[j];
      throw CommandError(written.path + (is_written(other.use) ? " is written by " + other.option : " is read") +
                         "; name another file for " + written.option);
    }
  }
}

}  // namespace expose::cli

#include "expose/detector/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "expose/detector/model_file.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/models.hpp"

namespace expose {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own for each test, gone afterwards.
class File : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("expose_" + std::to_string(getpid()) + test->name());
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_;
};

TEST_F(File, SavesAndLoadsADetector) {
  const Detector detector = small_detector();
  save(detector, path("model.expose"));
  EXPECT_EQ(load(path("model.expose"), 1), detector);
  EXPECT_EQ(read_whole(path("model.expose")), to_bytes(detector));
  EXPECT_EQ(files(), 1U);
}

TEST_F(File, ReplacesAnOldFileAndKeepsItsPermissions) {
  write_atomically(path("a"), bytes_of("old and longer"));
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  write_atomically(path("a"), bytes_of("new"));
  EXPECT_EQ(content(path("a")), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1U);
}

TEST_F(File, WritesThroughASymbolicLink) {
  write_atomically(path("a"), bytes_of("old"));
  fs::create_symlink("a", path("link"));
  write_atomically(path("link"), bytes_of("new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("a")), "new");
}

TEST_F(File, WritesBesideWhatAnotherHasLeftBehind) {
  std::ofstream(path("a.tmp-" + std::to_string(getpid()) + "-0")) << "left behind";
  write_atomically(path("a"), bytes_of("new"));
  EXPECT_EQ(content(path("a")), "new");
  EXPECT_EQ(content(path("a.tmp-" + std::to_string(getpid()) + "-0")), "left behind");
  EXPECT_EQ(files(), 2U);
}

TEST_F(File, SaysWhyItCannotBeWritten) {
  const auto refusal = [](const std::string& name) {
    return complaint([&] { write_atomically(name, bytes_of("new")); });
  };
  fs::create_directory(path("folder"));
  write_atomically(path("file"), bytes_of("old"));
  EXPECT_EQ(refusal(path("missing/a")), "io: cannot write " + path("missing/a") + ": No such file or directory");
  EXPECT_EQ(refusal(path("file/a")), "io: cannot write " + path("file/a") + ": Not a directory");
  EXPECT_EQ(refusal(path("folder")), "io: cannot write " + path("folder") + ": it is a directory");
  EXPECT_EQ(refusal("/dev/null"), "io: cannot write /dev/null: it is not a regular file");
  EXPECT_EQ(refusal(""), "io: cannot write : No such file or directory");
  EXPECT_EQ(content(path("file")), "old");
}

TEST_F(File, SaysWhyItCannotBeRead) {
  const auto refusal = [](const std::string& name) { return complaint([&] { load(name, 1); }); };
  fs::create_directory(path("folder"));
  std::ofstream(path("empty"));
  std::ofstream(path("table.csv")) << "a,b,c\n1,2,3\n";
  EXPECT_EQ(refusal(path("missing")), "io: cannot read " + path("missing") + ": No such file or directory");
  EXPECT_EQ(refusal(path("folder")), "io: cannot read " + path("folder") + ": it is a directory");
  EXPECT_EQ(refusal(path("empty")), "corrupt: " + path("empty") + ": this file is empty");
  EXPECT_EQ(refusal(path("table.csv")), "corrupt: " + path("table.csv") + ": this is not an EXPoSE file");
  EXPECT_EQ(refusal("/dev/zero"), "corrupt: /dev/zero: this is not an EXPoSE file");  // which has no end
}

// A disk that is full, as far as a test can have one: no file may be larger than this.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit now{most, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit old_{};
};

TEST_F(File, ThatDoesNotFitLeavesTheOldOneAndNothingElse) {
  write_atomically(path("a"), bytes_of("old"));
  std::string sentence;
  {
    const FileSizeLimit limit(64);
    sentence = complaint([&] { save(small_detector(), path("a")); });
  }
  EXPECT_EQ(sentence, "io: cannot write " + path("a") + ": File too large");
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace expose

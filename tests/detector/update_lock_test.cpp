// Who updates a model file holds it meanwhile: nobody's update is lost, and nothing is left behind. And which kind of
// file a file is.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <string>

#include "expose/detector/file.hpp"
#include "expose/detector/file_kind.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/watcher.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/models.hpp"

namespace expose {
namespace {

namespace fs = std::filesystem;

class UpdateLocks : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("expose_lock_" + std::to_string(getpid()) + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name = "model.expose") const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

// Another process: update(i) for i in 0 .. times-1, each under the lock. Nothing of gtest may run in it.
template <class Update>
pid_t start(int times, const Update& update) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    for (int i = 0; i < times; ++i) update(i);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

int result_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(UpdateLocks, NoUpdateOfTwoProcessesIsLost) {
  constexpr int kTimes = 20;
  Options options = small_options();
  options.trim = 0.0;
  const Detector start_with = small_detector(options);
  save(start_with, path());
  const auto update = [&](int i) {
    const UpdateLock lock(path());
    Detector detector = load(path(), 1);
    detector.learn(small_table(1, 100 + static_cast<std::uint64_t>(i)).rows());
    save(detector, path());
  };
  const pid_t a = start(kTimes, update), b = start(kTimes, update);
  EXPECT_EQ(result_of(a), 0);
  EXPECT_EQ(result_of(b), 0);
  EXPECT_EQ(load(path(), 1).weight(), start_with.weight() + 2 * kTimes);
  EXPECT_EQ(files(), 1U);
}

TEST_F(UpdateLocks, SaysThatItWaitsAndThenHasTheNewFile) {
  save(small_detector(), path());
  std::promise<void> waits;
  std::future<void> told = waits.get_future();
  int calls = 0;
  std::future<bool> other;
  {
    const UpdateLock first(path(), [] { FAIL() << "nobody has it"; });
    EXPECT_TRUE(first.held());
    other = std::async(std::launch::async, [&] {
      const UpdateLock second(path(), [&] {
        ++calls;
        waits.set_value();
      });
      return second.held() && load(path(), 1).weight() == 61.0;
    });
    told.wait();
    Detector detector = load(path(), 1);
    detector.learn(small_table(1, 9).rows());
    save(detector, path());  // another inode: the second must not be content with the first one
  }
  EXPECT_TRUE(other.get());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(UpdateLocks, WhatIsNotThereIsNoError) {
  EXPECT_FALSE(UpdateLock(path("none")).held());
  EXPECT_FALSE(UpdateLock(path("no/folder")).held());
  EXPECT_EQ(files(), 0U);
}

TEST_F(UpdateLocks, AFileTellsItsKind) {
  save(small_detector(), path("detector"));
  save(Watcher(), path("watcher"));
  EXPECT_EQ(kind_of(path("detector")), FileKind::detector);
  EXPECT_EQ(kind_of(path("watcher")), FileKind::watcher);
  EXPECT_TRUE(is_model_file(path("detector")));
  EXPECT_TRUE(is_model_file(path("watcher")));
}

TEST_F(UpdateLocks, DataIsNoModel) {
  const auto file = [&](const char* name, const std::string& content) {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  };
  for (const char* content : {"", "E", "EXPOSED,a\n1,2\n", "EXPOSE\r\n", "EXPOSE\r\n1.5\r\n2.5\r\n", "a,b\n"}) {
    EXPECT_FALSE(is_model_file(file("data.csv", content))) << content;
  }
  EXPECT_EQ(complaint([&] { kind_of(file("data.csv", "a,b\n")); }),
            "corrupt: " + path("data.csv") + ": this is not an EXPoSE file");
  EXPECT_EQ(complaint([&] { kind_of(file("short", "EXPOSE\r\n")); }),
            "corrupt: " + path("short") + ": this file is cut short: it has 8 bytes");
  EXPECT_EQ(complaint([&] { kind_of(file("kind", std::string("EXPOSE\r\n\1\0\0\0\7", 13))); }),
            "corrupt: " + path("kind") + ": this file is of kind 7, the kinds are 1 (detector) and 2 (watcher)");
  EXPECT_EQ(complaint([&] { kind_of(file("new", std::string("EXPOSE\r\n\x63\0\0\0\1", 13))); }).substr(0, 13),
            "incompatible:");
  EXPECT_EQ(complaint([&] { kind_of(path("none")); }).substr(0, 3), "io:");
}

TEST_F(UpdateLocks, PipesAndFoldersAreNotTouched) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(is_model_file(path("pipe")));  // to open it would wait for a writer
  EXPECT_FALSE(is_model_file(folder_.string()));
  EXPECT_FALSE(is_model_file(path("none")));
}

}  // namespace
}  // namespace expose

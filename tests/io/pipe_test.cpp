// What comes through a pipe, and what is kept of it to read it again.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "io/pipe.hpp"
#include "tests/io/packing.hpp"
#include "tests/io/pipes.hpp"
#include "tests/support/complaint.hpp"

namespace expose::io {
namespace {

constexpr std::size_t kRows = 60000;

std::string squares() {
  std::string table = "a,b\n";
  for (std::size_t i = 1; i <= kRows; ++i) {
    table += std::to_string(i) + "," + (i % 5000 == 0 ? "x" : std::to_string(i * i)) + "\n";
  }
  return table;
}

// An environment variable, until the end of a test.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    if (before != nullptr) before_ = before;
    had_ = before != nullptr;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

// The files that this process writes end after so many bytes, as on a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

TEST(PipeThread, IsReadAgainBeyondItsMemory) {
  const Read expected = csv_numbers(squares());
  ASSERT_EQ(expected.bad.size(), 12U);
  Pool pool(2);
  for (const std::string& bytes : {squares(), gz(squares()), zst(squares())}) {
    for (Pool* const threads : {&pool, static_cast<Pool*>(nullptr)}) {
      const Folder folder;
      const Piped pipe(bytes);
      const Setting setting("TMPDIR", folder.path(""));
      const auto reader =
          open_table({pipe.path()}, {.pool = threads, .block_bytes = 10000, .pipe_bytes = 20000, .again = true});
      EXPECT_TRUE(reader->repeatable());
      reader->expect(all_numbers(2));
      for (int pass = 0; pass < 3; ++pass) {
        EXPECT_EQ(read_all(*reader, 0), expected) << "pass " << pass;
        ASSERT_TRUE(reader->rewind());
      }
      EXPECT_TRUE(std::filesystem::is_empty(folder.path(""))) << "the temporary file has no name";
    }
  }
}

TEST(PipeThread, IsReadAgainFromTheMiddle) {
  const Piped pipe(squares());
  const auto reader = open_table({pipe.path()}, {.block_bytes = 3000, .pipe_bytes = 20000, .again = true});
  reader->expect(all_numbers(2));
  TableBlock block;
  for (const int blocks : {1, 3, 20, 40}) {
    for (int i = 0; i < blocks; ++i) ASSERT_TRUE(reader->next(block));
    ASSERT_TRUE(reader->rewind());
  }
  EXPECT_EQ(read_all(*reader, 0), csv_numbers(squares()));
}

TEST(PipeThread, ThatForgotItsBeginningGoesOn) {
  const Piped pipe(squares());
  const auto reader = open_table({pipe.path()}, {.block_bytes = 10000, .pipe_bytes = 540000});
  EXPECT_FALSE(reader->repeatable());
  reader->expect(all_numbers(2));
  Read read;
  TableBlock block;
  bool back = true;
  while (reader->next(block)) {
    append(read, block, 0);
    back = read.numbers.size() > kRows * 3 / 4 && reader->rewind();
  }
  EXPECT_FALSE(back);
  EXPECT_EQ(read.numbers, csv_numbers(squares()).numbers);
}

// Column after column: only what can be read from anywhere gives rows.
TEST(PipeThread, GivesAnArrayInFortranOrder) {
  std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }";
  header += std::string(117 - header.size(), ' ') + "\n";
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  bytes += header;
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const Piped pipe(bytes);
  EXPECT_EQ(read_numbers({pipe.path()}, {.pipe_bytes = 16, .again = true}).numbers,
            (std::vector<std::vector<double>>{{1, 4}, {2, 5}, {3, 6}}));
}

TEST(PipeThread, SeveralAreOneTable) {
  const Folder folder;
  const std::string file = folder.write("t.csv", "b,a\n4,3\n");
  for (const bool again : {true, false}) {
    const Piped first("a,b\n1,2\n", "first"), last("a,b\n5,6\n7,8\n", "last");
    const auto reader = open_table({first.path(), file, last.path()}, {.again = again});
    EXPECT_EQ(reader->repeatable(), again);
    reader->expect(all_numbers(2));
    for (int pass = 0; pass < 3; ++pass) {
      EXPECT_EQ(read_all(*reader, 0).numbers, (std::vector<std::vector<double>>{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
      ASSERT_TRUE(reader->rewind()) << "what is small is kept in any case";
    }
  }
}

TEST(PipeThread, AFullDiskIsSaid) {
  const Folder folder;
  const Piped pipe(squares());
  const Setting setting("TMPDIR", folder.path("."));
  const auto reader = open_table({pipe.path()}, {.block_bytes = 10000, .pipe_bytes = 20000, .again = true});
  reader->expect(all_numbers(2));
  const FullDisk disk(500000);
  for (int pass = 0; pass < 2; ++pass) {
    const Read read = read_all(*reader, 0);
    EXPECT_GT(read.numbers.size(), 5000U) << "rows that came before";
    EXPECT_LT(read.numbers.size(), kRows);
    EXPECT_EQ(read.error, "io: " + pipe.path() + ", line " + std::to_string(read.numbers.size() + 2) +
                              ": cannot keep more of " + pipe.path() + " in " + folder.path(".") +
                              ", to read it more than once: File too large; set TMPDIR to a folder with room for it, "
                              "or write " +
                              pipe.path() + " to a file and name that");
    ASSERT_TRUE(reader->rewind());
  }
}

TEST(PipeThread, AFolderThatIsNotThereIsSaid) {
  const Folder folder;
  const Piped pipe(squares());
  const Setting setting("TMPDIR", folder.path("none"));
  const Read read = read_numbers({pipe.path()}, {.block_bytes = 1000, .pipe_bytes = 300000, .again = true});
  EXPECT_NE(read.error.find("cannot make a temporary file in " + folder.path("none") + ", to read " + pipe.path() +
                            " more than once: No such file or directory; set TMPDIR to"),
            std::string::npos)
      << read.error;
}

// What is kept for going back is given back once it was read, or was too much.
TEST(Pipe, GivesItsMemoryBack) {
  for (const bool again : {false, true}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    PipeStream stream(ends[0], "a pipe", {.bytes = 30000, .again = again});
    std::string some(1000, '\0');
    const auto pass_on = [&](std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; i += some.size()) {
        ASSERT_EQ(::write(ends[1], some.data(), some.size()), 1000);
        read_fully(stream, some);
      }
    };
    pass_on(20000);
    EXPECT_GE(stream.kept_bytes(), 20000U);
    ASSERT_TRUE(stream.rewind());
    read_fully(stream, some);
    if (again) {
      stream.no_rewind();
      EXPECT_GE(stream.kept_bytes(), 20000U) << "it is still to be read";
      for (int i = 1; i < 20; ++i) read_fully(stream, some);
    } else {
      for (int i = 1; i < 20; ++i) read_fully(stream, some);
      pass_on(20000);
    }
    EXPECT_EQ(stream.kept_bytes(), 0U);
    EXPECT_FALSE(stream.rewind());
    pass_on(20000);
    EXPECT_EQ(stream.kept_bytes(), 0U);
    ::close(ends[1]);
    EXPECT_EQ(read_fully(stream, some), 0U);
  }
}

// Rows that have come whole are given; half a row is not, and no bad one either.
TEST(Pipe, IsNotWaitedForOnceStopped) {
  for (const std::string half : {"5,", "\"5\n6"}) {
    const Fifo fifo;
    std::array<int, 2> stop{};
    ASSERT_EQ(::pipe(stop.data()), 0);
    const int end = ::open(fifo.path().c_str(), O_RDWR | O_CLOEXEC);  // waits for nobody, and stays open
    const std::string bytes = "a,b\n1,2\n3,4\n" + half;
    ASSERT_EQ(::write(end, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    const auto reader = open_table({fifo.path()}, {.stop = stop[0]});
    TableBlock block;
    ASSERT_TRUE(reader->next(block));
    EXPECT_EQ(block.rows(), 2u);
    ASSERT_EQ(::write(stop[1], "", 1), 1);
    EXPECT_EQ(complaint([&] { reader->next(block); }), "cancelled: " + fifo.path() + ", line 4: reading was stopped");
    for (const int fd : {stop[0], stop[1], end}) ::close(fd);
  }
}

}  // namespace
}  // namespace expose::io

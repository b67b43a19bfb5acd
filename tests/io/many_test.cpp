// Several files, and pipes.
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "tests/io/files.hpp"
#include "tests/io/packing.hpp"
#include "tests/io/pipes.hpp"
#include "tests/support/complaint.hpp"

namespace expose::io {
namespace {

TEST(ManyFiles, AreOneTable) {
  const Folder folder;
  const std::vector<std::string> paths = {
      folder.write("a.csv", "x,y\n1,2\n3,4\n"), folder.write("b.csv.gz", gz("y;x\n6;5\n")),
      folder.write("c.ndjson", "{\"x\": 7, \"y\": 8}\n{\"x\": \"no\", \"y\": 0}\n")};
  const auto reader = open_table(paths);
  reader->expect(all_numbers(2));
  for (int pass = 0; pass < 2; ++pass) {
    const Read read = read_all(*reader, 0);
    ASSERT_EQ(read.numbers.size(), 5U);
    EXPECT_EQ(std::vector(read.numbers.begin(), read.numbers.begin() + 4),
              (std::vector<std::vector<double>>{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
    EXPECT_EQ(read.bad, std::vector<std::string>{"row 5, line 2: column 'x': 'no' is no number"})
        << "rows across files, lines in them";
    ASSERT_TRUE(reader->rewind());
  }
}

TEST(ManyFiles, MustHaveTheSameColumns) {
  const Folder folder;
  const std::string a = folder.write("a.csv", "x,total\n1,2\n"), b = folder.write("b.csv", "x,totals\n1,2\n"),
                    c = folder.write("c.csv", "x,total,z\n1,2,3\n");
  EXPECT_EQ(complaint([&] {
              open_table({a, b});
            }),
            "incompatible: " + b + " has no column 'total', " + a +
                " has; did you mean 'totals'?; files that are read as one table have the same columns");
  EXPECT_EQ(complaint([&] {
              open_table({a, c});
            }),
            "incompatible: " + a + " has no column 'z', " + c +
                " has; files that are read as one table have the same columns");
}

TEST(PipeThread, RowsAreNotHeldBack) {
  const Fifo fifo;
  // Opens when the reader does; writes on when it is told to.
  std::FILE* pipe = nullptr;
  std::jthread first([&] {
    pipe = std::fopen(fifo.path().c_str(), "w");
    std::fputs("a,b\n1,2\n3,4\n5,", pipe);
    std::fflush(pipe);
  });
  Pool pool(2);
  const auto reader = open_table({fifo.path()}, {.pool = &pool});
  first.join();
  reader->expect(all_numbers(2));
  TableBlock block;
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(block.rows(), 2U) << "while the third row is still being written";
  std::fputs("6\n", pipe);
  std::fflush(pipe);
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(block.numbers(0)[1], 6);
  std::fclose(pipe);
  EXPECT_FALSE(reader->next(block));
  EXPECT_FALSE(reader->repeatable());
  ASSERT_TRUE(reader->rewind()) << "its first part is kept";
  EXPECT_EQ(read_all(*reader, 0).numbers.size(), 3U);
}

}  // namespace
}  // namespace expose::io

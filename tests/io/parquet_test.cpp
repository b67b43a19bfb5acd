// The parquet files that tests/io/make_parquet.py wrote; and what is said where it cannot be read.
#include "io/parquet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/source.hpp"
#include "tests/io/packing.hpp"
#include "tests/io/pipes.hpp"
#include "tests/support/complaint.hpp"

namespace expose::io {
namespace {

const std::string kPath = std::string(EXPOSE_TEST_DIR) + "/golden/table.parquet";

std::string golden() {
  std::ifstream file(kPath, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// These columns alone, as numbers.
Read numbers_of(TableReader& reader, const std::vector<std::string>& wanted) {
  Layout layout;
  for (const std::string& name : reader.names()) {
    const bool there = std::ranges::find(wanted, name) != wanted.end();
    layout.columns.push_back(there ? Place{Want::number, layout.width++} : Place{});
  }
  EXPECT_EQ(layout.width, wanted.size());
  reader.expect(layout);
  return read_all(reader, 0);
}

TEST(Parquet, WithoutArrowThereIsASentence) {
  if (reads_parquet()) return;  // the tests below are for such builds
  for (const std::string& path : {kPath}) {
    EXPECT_EQ(complaint([&] { open_table({path}); }),
              "io: " + path +
                  ": this program was built without Arrow, so it reads no parquet; build it where tools/setup python "
                  "has run, or make csv of the file: duckdb -c \"copy (from 'FILE') to 'FILE.csv'\", or "
                  "pandas.read_parquet('FILE').to_csv('FILE.csv')");
  }
}

TEST(Parquet, EveryKindOfColumnAsText) {
  if (!reads_parquet()) return;
  const Read read = read_texts({kPath});
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.names, (std::vector<std::string>{"small",
                                                  "large",
                                                  "half",
                                                  "single",
                                                  "double",
                                                  "yes",
                                                  "money",
                                                  "text",
                                                  "long",
                                                  "bytes",
                                                  "level",
                                                  "day",
                                                  "moment",
                                                  "zoned",
                                                  "clock",
                                                  "list",
                                                  "words",
                                                  "nested.x",
                                                  "nested.inner.deep",
                                                  "nested.inner.word",
                                                  "pairs"}));
  ASSERT_EQ(read.texts.size(), 7U);
  EXPECT_EQ(read.texts[1], (std::vector<std::string>{"-2",
                                                     "9007199254740996",
                                                     "0.5",
                                                     "1",
                                                     "nan",
                                                     "1",
                                                     "3.00",
                                                     "text 2",
                                                     "long 2",
                                                     std::string(2, '\0'),
                                                     "low",
                                                     "1969-12-31",
                                                     "2026-11-15T17:50:14.500000",
                                                     "1963-07-01T14:16:54Z",
                                                     "17:50:02",
                                                     "[2,null]",
                                                     "[\"a \\\"b\\\"\",\"c\"]",
                                                     "2",
                                                     "20",
                                                     "w2",
                                                     "[{\"key\":\"k\",\"value\":2}]"}));
  EXPECT_EQ(read.texts[3], std::vector<std::string>(21)) << "null is missing";
  EXPECT_EQ(read.texts[4][17], "5");
  EXPECT_EQ(read.texts[4][18], "") << "what is in a struct that is null";
  EXPECT_EQ(read.lines, std::vector<std::size_t>(7, 0));
}

// The first of them stands for "no time" in some programs.
TEST(Parquet, TheFirstAndTheLastMoments) {
  if (!reads_parquet()) return;
  const Read read = read_texts({std::string(EXPOSE_TEST_DIR) + "/golden/moments.parquet"});
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.texts, (Texts{{"1677-09-21T00:12:43.145224192", "-106751992 days after 1970-01-01T19:59:05.224192",
                                "-2147483648 days after 1970-01-01"},
                               {"1969-12-31T23:59:59.999999999", "1969-12-31T23:59:59.999999", "1969-12-31"},
                               {"1970-01-01T00:00:00", "1970-01-01T00:00:00", "1970-01-01"},
                               {"2262-04-11T23:47:16.854775807", "106751991 days after 1970-01-01T04:00:54.775807",
                                "2147483647 days after 1970-01-01"}}));
}

TEST(Parquet, NumbersAndBadRows) {
  if (!reads_parquet()) return;
  const auto reader = open_table({kPath});
  for (int pass = 0; pass < 2; ++pass) {
    const Read read = numbers_of(*reader, {"small", "large", "half", "double", "yes", "money", "nested.inner.deep"});
    ASSERT_EQ(read.numbers.size(), 7U);
    EXPECT_EQ(read.numbers[0], (std::vector<double>{-1, 9007199254740994, 0.25, 0.1, 0, 1.5, 10}));
    EXPECT_EQ(read.numbers[6], (std::vector<double>{-7, 9007199254741006, 1.75, 0.7, 0, 10.5, 70}));
    EXPECT_TRUE(std::isnan(read.numbers[1][3]));
    for (const double number : read.numbers[3]) EXPECT_TRUE(std::isnan(number));
    EXPECT_TRUE(std::isnan(read.numbers[4][6]));
    EXPECT_EQ(read.bad, std::vector<std::string>{});
    ASSERT_TRUE(reader->rewind());
  }
  const Read read = numbers_of(*reader, {"small", "single", "text"});
  EXPECT_EQ(read.numbers[0], (std::vector<double>{-1, 0.5, 12}));
  EXPECT_EQ(read.bad, (std::vector<std::string>{"row 2, line 0: column 'text': 'text 2' is no number",
                                                "row 3, line 0: column 'text': 'text 3' is no number",
                                                "row 5, line 0: column 'text': 'text 5' is no number",
                                                "row 6, line 0: column 'single': infinity is no number",
                                                "row 7, line 0: column 'text': 'text 7' is no number"}));
  for (const double number : read.numbers[5]) EXPECT_TRUE(std::isinf(number)) << "bad as a whole";
}

// A column in the middle of what is nested, and none at all.
TEST(Parquet, OnlyWhatIsWanted) {
  if (!reads_parquet()) return;
  const auto reader = open_table({kPath});
  EXPECT_EQ(numbers_of(*reader, {"nested.inner.deep"}).numbers[6], std::vector<double>{70});
  ASSERT_TRUE(reader->rewind());
  EXPECT_EQ(numbers_of(*reader, {"nested.x", "yes"}).numbers[1], (std::vector<double>{1, 2}));
  ASSERT_TRUE(reader->rewind());
  EXPECT_EQ(numbers_of(*reader, {}).numbers.size(), 7U);
}

TEST(Parquet, ColumnsAreGuessed) {
  if (!reads_parquet()) return;
  const auto reader = open_table({kPath});
  const Guess guess = guess_columns(*reader, {.id = "text", .time = "moment"});
  TableSource source(*reader, guess.columns, 1 << 20);
  for (int pass = 0; pass < 2; ++pass) {
    std::size_t rows = 0;
    for (Records block = source.next(); !block.empty(); block = source.next()) rows += block.n();
    EXPECT_EQ(rows, 7U);
    EXPECT_EQ(source.bad_rows(), 1U);
    EXPECT_EQ(sentence(source.bad()[0]), kPath + ", row 6: column 'single': infinity is no number");
    ASSERT_TRUE(source.rewind());
  }
}

TEST(ParquetThread, ThroughAPipe) {
  if (!reads_parquet()) return;
  const Read expected = read_texts({kPath});
  for (const std::size_t kept : {100, 100000}) {
    const Piped pipe(golden());
    const auto reader = open_table({pipe.path()}, {.pipe_bytes = kept, .again = kept == 100});
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_EQ(read_all(*reader, reader->names().size()), expected);
      ASSERT_TRUE(reader->rewind());
    }
  }
}

TEST(Parquet, WhatIsNone) {
  if (!reads_parquet()) return;
  const Folder folder;
  const auto complaint_about = [&](const std::string& name, const std::string& bytes) {
    return complaint([&] { open_table({folder.write(name, bytes)}); });
  };
  EXPECT_EQ(complaint_about("t.parquet", ""), "corrupt: " + folder.path("t.parquet") + ": the file is empty");
  for (const std::string& bytes : {std::string("PAR1"), std::string("a,b\n1,2\n"), golden().substr(0, 9000)}) {
    EXPECT_TRUE(complaint_about("t.parquet", bytes)
                    .starts_with("corrupt: " + folder.path("t.parquet") + ": this parquet file cannot be read: "));
  }
  EXPECT_EQ(complaint_about("t.parquet.gz", gz(golden())),
            "invalid_argument: " + folder.path("t.parquet.gz") +
                ": a parquet file is read from its end, which a packed one cannot give; unpack it");
  std::string damaged = golden();
  std::fill_n(damaged.begin() + 200, 300, '\x5a');
  const std::string path = folder.write("d.parquet", damaged);
  EXPECT_NE(read_texts({path}).error, "");
}

}  // namespace
}  // namespace expose::io

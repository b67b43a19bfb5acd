// From a file to a detector.
#include "io/source.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expose/base/random.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/detector.hpp"
#include "tests/io/files.hpp"
#include "tests/support/complaint.hpp"

namespace expose::io {
namespace {

// 400 payments; row 100 is ragged and row 200 has no number.
std::string payments(std::uint64_t seed) {
  Random random(seed, 0);
  std::string table = "key,amount,country,when,note\n";
  for (int i = 1; i <= 400; ++i) {
    const std::string row = "k" + std::to_string(i) + "," + (i == 200 ? "much" : text(random.normal())) + "," +
                            (random.below(3) == 0 ? "FR" : "DE") + ",2026-11-" + std::to_string(10 + random.below(20)) +
                            " 1" + std::to_string(random.below(10)) + ":30:00,\"free, text " + std::to_string(i) +
                            "\"\n";
    table += i == 100 ? "k100,1,DE\n" : row;
  }
  return table;
}

TEST(Source, GuessesAndEncodes) {
  const Folder folder;
  Pool pool(2);
  const auto reader = open_table({folder.write("t.csv", payments(1))}, {.pool = &pool, .block_bytes = 2000});
  const Guess guess = guess_columns(*reader, {.id = "key", .time = "when"});
  EXPECT_EQ(guess.columns.description(),
            "5 columns: 7 numbers a row\n"
            "  numbers: amount\n"
            "  categories: country (2 values)\n"
            "  time: when\n"
            "  id: key\n"
            "  ignored: note");
  EXPECT_EQ(guess.notes, std::vector<std::string>{"'note' is ignored: 399 different texts in 399 rows"});

  TableSource source(*reader, guess.columns);
  for (int pass = 0; pass < 2; ++pass) {
    std::size_t rows = 0;
    for (Records block = source.next(); !block.empty(); block = source.next()) {
      ASSERT_EQ(block.d(), 7U);
      for (std::size_t i = 0; i < block.n(); ++i) {
        EXPECT_EQ(source.block().text(i, source.encoder().text_of(0)), "k" + std::to_string(++rows));
      }
    }
    EXPECT_EQ(rows, 400U);
    EXPECT_EQ(source.rows(), 400U);
    EXPECT_EQ(source.bad_rows(), 2U);
    ASSERT_EQ(source.bad().size(), 2U);
    EXPECT_EQ(sentence(source.bad()[0]), folder.path("t.csv") + ", line 101 (row 100): 3 fields, the table has 5");
    EXPECT_EQ(sentence(source.bad()[1]),
              folder.path("t.csv") + ", line 201 (row 200): column 'amount': 'much' is no number");
    ASSERT_TRUE(source.rewind());
  }
}

// The same model from a file as from the numbers in memory; bad rows are rejected, not learned.
TEST(Source, FitsADetector) {
  Random random(3, 0);
  std::vector<double> values;
  std::string table = "a,b,c\n";
  for (int i = 0; i < 600; ++i) {
    for (int c = 0; c < 3; ++c) {
      values.push_back(random.normal());
      table += text(values.back()) + (c < 2 ? "," : "\n");
    }
    if (i % 100 == 50) table += "1,2\nx,y,z\n";
  }
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", table)}, {.block_bytes = 3000});
  TableSource source(*reader, guess_columns(*reader).columns);
  Options options;
  options.threads = 1;
  const Detector from_file = fit(source, options);
  const Detector from_memory = fit(Records(values, 3), options);
  EXPECT_EQ(from_file.fingerprint(), from_memory.fingerprint());
  EXPECT_EQ(from_file.weight(), 600);
  EXPECT_TRUE(from_file == from_memory);
  EXPECT_EQ(source.bad_rows(), 12U);
}

// A row that the plan has seen before, in a file with other columns around it.
TEST(Source, ColumnsAreFoundByName) {
  const Folder folder;
  const Columns columns({{.name = "amount"}, {.name = "country", .role = Role::category, .levels = {"DE", "FR"}}});
  const auto reader = open_table({folder.write("t.csv", "x,country,amount\n9,FR,5\n")});
  TableSource source(*reader, columns);
  const Records block = source.next();
  EXPECT_EQ(block.at(0, 0), 5);
  EXPECT_EQ(block.at(0, 2), 1);
  const auto other = open_table({folder.write("u.csv", "country,amuont\nDE,1\n")});
  EXPECT_EQ(complaint([&] { TableSource wrong(*other, columns); }),
            "not_found: " + folder.path("u.csv") +
                ": there is no column 'amount' among the 2 there are; did you mean 'amuont'?");
}

TEST(Source, ATableWithoutHeader) {
  const Folder folder;
  const auto named = open_table({folder.write("t.csv", "amount,age\n1,2\n3,4\n")});
  const Columns columns = guess_columns(*named).columns;
  const auto bare = open_table({folder.write("u.csv", "1,2\n3,4\n")});
  EXPECT_EQ(
      complaint([&] { TableSource wrong(*bare, columns); }),
      "not_found: " + folder.path("u.csv") +
          ": there is no column 'amount' among the 2 there are; the table seems to have no header, its columns are "
          "called 'column_1' to 'column_2'");
}

TEST(Source, NothingToLearnFrom) {
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", "a,b\nx1,\nx2,\nx3,\n")});
  EXPECT_EQ(complaint([&] { guess_columns(*reader); }), "invalid_argument: " + folder.path("t.csv") +
                                                            " has no column to learn from; 'a' is ignored: 3 different "
                                                            "texts in 3 rows; 'b' is ignored: it has no values");
}

}  // namespace
}  // namespace expose::io

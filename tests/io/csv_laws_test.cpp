// Laws of the csv reader: the nearest double, and the same rows for any blocks and any number of threads.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "expose/base/random.hpp"
#include "tests/io/files.hpp"

namespace expose::io {
namespace {

std::string digits(Random& random, std::size_t most) {
  std::string text;
  for (std::size_t n = random.below(most + 1); n > 0; --n) text += static_cast<char>('0' + random.below(10));
  return text;
}

// Decimals of every length, around the limits of the short way in particular.
TEST(CsvNumbers, AreTheNearestDoubles) {
  Random random(2, 0);
  std::vector<std::string> numbers = {
      "9007199254740992",     "9007199254740993",     "9007199254740993.0",    "0.1",
      "1234567890123456789",  "12345678901234567890", "0.0000000000000000001", "18446744073709551615",
      "18446744073709551616", "999999999999999999999"};
  while (numbers.size() < 40000) {
    std::string text = digits(random, 21);
    if (random.below(2) == 0) text += "." + digits(random, 21);
    if (text.empty() || text == ".") continue;
    if (random.below(4) == 0) text += "e" + std::to_string(static_cast<int>(random.below(80)) - 40);
    numbers.push_back((random.below(2) == 0 ? "-" : "") + text);
  }
  std::string table = "x,y\n";
  for (const std::string& number : numbers) table += number + "," + number + "\n";
  const Read read = csv_numbers(table);
  ASSERT_EQ(read.bad, std::vector<std::string>{});
  ASSERT_EQ(read.numbers.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double expected = std::strtod(numbers[i].c_str(), nullptr);
    EXPECT_EQ(read.numbers[i][0], expected) << numbers[i];
    EXPECT_EQ(read.numbers[i][1], expected) << numbers[i];
  }
}

// Quotes, newlines, stray quotes and ragged rows at random: whatever it means, it means the same in all ways of
// reading.
std::string messy_table(std::uint64_t seed) {
  Random random(seed, 0);
  const std::vector<std::string> fields = {
      "1",          "-2.5",       "abc",   "",   "\"q\"",   "\"a,b\"", "\"two\nlines\"", "\"\"\"",      "x\"y",
      "\"a\"\"b\"", "\"cr\r\n\"", "1e400", "NA", "\"1.5\"", " 7 ",     "\"x\"z",         "\"\n\n\n,,\""};
  std::string text = "a,b,c\n";
  for (int i = 0; i < 300; ++i) {
    const std::size_t columns = random.below(20) == 0 ? random.below(5) : 3;
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0) text += ',';
      // Quotes that open and do not close are rare, or nothing else would be left.
      text += random.below(200) == 0 ? "\"" : fields[random.below(fields.size())];
    }
    text += random.below(3) == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST(CsvPool, SameRowsForAnyBlocksAndThreads) {
  Pool pool(3);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Folder folder;
    const std::string path = folder.write("t.csv", messy_table(seed));
    const ReadOptions whole{.delimiter = ',', .header = true};
    const Read texts = read_texts({path}, whole);
    const Read numbers = read_numbers({path}, whole);
    EXPECT_GT(texts.texts.size(), 10U);
    for (const std::size_t bytes : {1, 7, 64, 1000}) {
      for (Pool* const threads : {static_cast<Pool*>(nullptr), &pool}) {
        const ReadOptions cut{.pool = threads, .delimiter = ',', .header = true, .block_bytes = bytes};
        EXPECT_EQ(read_texts({path}, cut), texts) << "seed " << seed << ", blocks of " << bytes;
        // Infinity marks bad rows, and NaN what is missing: compare as texts, where NaN equals itself.
        const Read again = read_numbers({path}, cut);
        EXPECT_EQ(again.bad, numbers.bad);
        EXPECT_EQ(testing::PrintToString(again.numbers), testing::PrintToString(numbers.numbers));
      }
    }
  }
}

TEST(CsvPool, LargerThanOneBatch) {
  Pool pool(2);
  std::string table = "n,text\n";
  for (int i = 0; i < 30000; ++i) table += std::to_string(i) + ",\"row\n" + std::to_string(i) + "\"\n";
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", table)}, {.pool = &pool, .block_bytes = 10000});
  reader->expect({{{Want::number, 0}, {Want::text, 0}}, 1, 1});
  for (int pass = 0; pass < 2; ++pass) {
    TableBlock block;
    std::size_t i = 0;
    while (reader->next(block)) {
      ASSERT_EQ(block.first_row, i + 1);
      for (std::size_t row = 0; row < block.rows(); ++row, ++i) {
        ASSERT_EQ(block.numbers(row)[0], static_cast<double>(i));
        ASSERT_EQ(block.text(row, 0), "row\n" + std::to_string(i));
        ASSERT_EQ(block.line(row), 2 + 2 * i);
      }
    }
    EXPECT_EQ(i, 30000U);
    ASSERT_TRUE(reader->rewind());
  }
}

}  // namespace
}  // namespace expose::io

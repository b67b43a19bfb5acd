#include <gtest/gtest.h>

#include <cmath>

#include "expose/base/random.hpp"
#include "expose/base/text.hpp"
#include "tests/io/files.hpp"
#include "tests/support/complaint.hpp"

namespace expose::io {
namespace {

using Names = std::vector<std::string>;

Read json_texts(const std::string& bytes, const ReadOptions& options = {}) {
  const Folder folder;
  return read_texts({folder.write("t.ndjson", bytes)}, options);
}

TEST(Ndjson, KeysAreColumns) {
  const Read read = json_texts(
      "{\"a\": 1, \"b\": \"x\\n\\u00e9\", \"c\": {\"d\": true, \"e\": {\"f\": null}}}\n"
      "\n"
      "{\"b\": \"y\", \"a\": -2.5e3, \"later\": [1, {\"z\": 2}], \"c\": {}}\r\n"
      "{}\n");
  EXPECT_EQ(read.names, (Names{"a", "b", "c.d", "c.e.f", "later"}));
  EXPECT_EQ(
      read.texts,
      (Texts{{"1", "x\n\xc3\xa9", "true", "", ""}, {"-2.5e3", "y", "", "", "[1, {\"z\": 2}]"}, {"", "", "", "", ""}}));
  EXPECT_EQ(read.lines, (std::vector<std::size_t>{1, 3, 4}));
  EXPECT_EQ(read.bad, Names{});
}

TEST(Ndjson, NumbersAndWhatIsNone) {
  const Folder folder;
  const Read read = read_numbers({folder.write("t.ndjson",
                                               "{\"a\": 1, \"b\": 0.1}\n"
                                               "{\"a\": \"7\", \"b\": null}\n"
                                               "{\"a\": 12345678901234567890123, \"b\": -0.0}\n"
                                               "{\"a\": true, \"b\": 1}\n"
                                               "{\"a\": 1e400, \"b\": 1}\n"
                                               "{\"a\": 1, \"b\": \n"
                                               "[1, 2]\n"
                                               "{\"a\": 1, \"b\": 2} {}\n"
                                               "{\"a\": 8, \"b\": 9}\n")});
  ASSERT_EQ(read.numbers.size(), 9U);
  EXPECT_EQ(read.numbers[0], (std::vector<double>{1, 0.1}));
  EXPECT_EQ(read.numbers[1][0], 7);
  EXPECT_TRUE(std::isnan(read.numbers[1][1]));
  EXPECT_EQ(read.numbers[2][0], 12345678901234567890123.0);
  EXPECT_EQ(read.numbers[8], (std::vector<double>{8, 9}));
  ASSERT_EQ(read.bad.size(), 5U);
  EXPECT_EQ(read.bad[0], "row 4, line 4: column 'a': 'true' is no number");
  EXPECT_EQ(read.bad[1], "row 5, line 5: column 'a': '1e400' is beyond the largest number");
  for (std::size_t i = 2; i < 5; ++i) EXPECT_NE(read.bad[i].find("no JSON object: "), std::string::npos) << read.bad[i];
}

// What was written is read, in any order of keys and with any escapes.
TEST(Ndjson, ReadsBackWhatWasWritten) {
  Random random(5, 0);
  const std::vector<std::pair<std::string, std::string>> letters = {
      {"a", "a"}, {"\\\"", "\""}, {"\\\\", "\\"},          {"\\n", "\n"}, {"\\u20ac", "\xe2\x82\xac"},
      {",", ","}, {"}", "}"},     {"\xc3\xbc", "\xc3\xbc"}};
  std::string table;
  Texts expected;
  for (int i = 0; i < 500; ++i) {
    const std::string number = text(random.normal() * 1e3);
    std::string written, meant;
    for (std::size_t n = random.below(12); n > 0; --n) {
      const auto& [escaped, letter] = letters[random.below(letters.size())];
      written += escaped;
      meant += letter;
    }
    const std::string n = "\"n\":" + number, s = "\"s\" : \"" + written + "\"";
    table += i == 0 || random.below(2) == 0 ? "{" + n + "," + s + "}\n" : " { " + s + ",\t" + n + " }\r\n";
    expected.push_back({number, meant});
  }
  const Read read = json_texts(table);
  EXPECT_EQ(read.names, (Names{"n", "s"}));
  EXPECT_EQ(read.texts, expected);
  EXPECT_EQ(read.bad, Names{});
}

TEST(Ndjson, FoundByContent) {
  const Folder folder;
  EXPECT_EQ(read_texts({folder.write("t", "{\"a\": 1}\n")}).names, Names{"a"});
  EXPECT_EQ(read_texts({folder.write("u", "\xef\xbb\xbf{\"a\": 1}\n{\"a\": 2}")}).texts, (Texts{{"1"}, {"2"}}));
  const std::string path = folder.write("v.jsonl", "a: 1\n");
  const std::string said = complaint([&] { open_table({path}); });
  EXPECT_TRUE(said.starts_with("corrupt: " + path + ": the first line is no JSON object")) << said;
}

TEST(Ndjson, WithoutKeysThereIsNoTable) {
  EXPECT_THROW(json_texts("{}\n{}\n"), Error);
  EXPECT_THROW(json_texts("\n \n"), Error);
}

TEST(Ndjson, TooDeepIsABadRow) {
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "{\"a\":";
  const Read read = json_texts("{\"a\": 1}\n" + deep + "1" + std::string(2000, '}') + "\n{\"a\": 2}\n");
  EXPECT_EQ(read.texts.size(), 3U);
  EXPECT_EQ(read.bad.size(), 1U);
  EXPECT_EQ(read.texts[2], Names{"2"});
}

TEST(NdjsonPool, SameRowsForAnyBlocksAndThreads) {
  std::string table;
  for (int i = 0; i < 500; ++i) {
    table += i % 50 == 7 ? "{broken\n"
                         : "{\"n\": " + std::to_string(i) + ", \"s\": \"v" + std::to_string(i % 7) + "\\t\"}\n";
  }
  Pool pool(3);
  const Read whole = json_texts(table);
  EXPECT_EQ(whole.texts.size(), 500U);
  EXPECT_EQ(whole.bad.size(), 10U);
  for (const std::size_t bytes : {1, 100, 5000}) {
    EXPECT_EQ(json_texts(table, {.block_bytes = bytes}), whole);
    EXPECT_EQ(json_texts(table, {.pool = &pool, .block_bytes = bytes}), whole);
  }
}

}  // namespace
}  // namespace expose::io

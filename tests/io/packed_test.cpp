#include <gtest/gtest.h>

#include "io/stream.hpp"
#include "tests/io/files.hpp"
#include "tests/io/packing.hpp"

namespace expose::io {
namespace {

const std::string kTable = "a,b\n1.5,abcabcabc\n1.5,abcabcabc\n1.5,abcabcabc\n1.5,abcabcabc\n1.5,abcabcabc\n";

std::string unpack(const std::string& bytes, std::size_t portion) {
  const auto stream = unpacked(in_memory(bytes));
  std::string whole, some(portion, '\0');
  for (int pass = 0; pass < 2; ++pass) {
    whole.clear();
    while (const std::size_t n = stream->read(some)) whole += some.substr(0, n);
    EXPECT_TRUE(stream->rewind());
  }
  return whole;
}

// Written by gzip and zstd.
TEST(Packed, AsRealProgramsPack) {
  const std::string gzip(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xd4\x49\xe2\x32\xd4\x33\xd5\x49\x4c\x4a\x86\x20\xb2"
      "\x79\x00\x54\x56\x79\x40\x4a\x00\x00\x00",
      34);
  const std::string zstd(
      "\x28\xb5\x2f\xfd\x20\x4a\xa5\x00\x00\x58\x61\x2c\x62\x0a\x31\x2e\x35\x2c\x61\x62\x63\x02\x00\x8e"
      "\x79\x80\x98\xf3\x02",
      29);
  for (const std::size_t portion : {1, 3, 74, 1000}) {
    EXPECT_EQ(unpack(gzip, portion), kTable) << portion;
    EXPECT_EQ(unpack(zstd, portion), kTable) << portion;
    EXPECT_EQ(unpack(gzip + gzip, portion), kTable + kTable) << "two members, " << portion;
    EXPECT_EQ(unpack(gzip + std::string(600, '\0'), portion), kTable) << "zeros behind, " << portion;
    EXPECT_EQ(unpack(zstd + zstd, portion), kTable + kTable) << "two frames, " << portion;
    EXPECT_EQ(unpack(kTable, portion), kTable);
  }
}

TEST(Packed, LargeAndSmall) {
  std::string large;
  for (int i = 0; i < 100000; ++i) large += std::to_string(i) + "\n";
  for (const std::string& bytes : {std::string(), std::string("x"), large}) {
    EXPECT_EQ(unpack(gz(bytes), 5000), bytes);
    EXPECT_EQ(unpack(zst(bytes), 5000), bytes);
  }
}

// Told by what is in the file, not by its name.
TEST(Packed, TablesByContent) {
  const Folder folder;
  const Texts expected(5, {"1.5", "abcabcabc"});
  EXPECT_EQ(read_texts({folder.write("t.csv.gz", gz(kTable))}).texts, expected);
  EXPECT_EQ(read_texts({folder.write("t", gz(kTable))}).texts, expected);
  EXPECT_EQ(read_texts({folder.write("t.csv", zst(kTable))}).texts, expected);
  EXPECT_EQ(read_texts({folder.write("t.json.zst", zst("{\"a\": 1}\n"))}).texts, (Texts{{"1"}}));
}

}  // namespace
}  // namespace expose::io

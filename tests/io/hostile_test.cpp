// Files that are not what they should be: each gets its sentence, and no good row is lost.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cmath>

#include "io/source.hpp"
#include "tests/io/files.hpp"
#include "tests/io/packing.hpp"
#include "tests/support/complaint.hpp"

namespace expose::io {
namespace {

std::string complaint_about(const std::string& name, const std::string& bytes) {
  const Folder folder;
  const std::string path = folder.write(name, bytes);
  std::string said = complaint([&] { open_table({path}); });
  const std::size_t at = said.find(path);
  return at == std::string::npos ? said : said.replace(at, path.size(), name);
}

TEST(Hostile, WhatIsNoTable) {
  EXPECT_EQ(complaint_about("t.csv", ""), "corrupt: t.csv: the file is empty");
  EXPECT_EQ(complaint_about("t.csv", "\n\n"), "corrupt: t.csv: the file is empty");
  EXPECT_EQ(complaint_about("t.csv", std::string("\x00\x01\x02\xff\xfejunk\n\x07", 12)),
            "corrupt: t.csv: this is no text: there is '\\x00' in its first line");
  EXPECT_EQ(complaint_about("t.csv",
                            "\xff\xfe"
                            "a\n"),
            "corrupt: t.csv: this is UTF-16; turn it into UTF-8: iconv -f UTF-16 -t UTF-8");
  EXPECT_EQ(complaint_about("t.csv", std::string(1100000, ',') + "\n"),
            "corrupt: t.csv: it has 1048577 columns or more, at most 1048576 are read");
  EXPECT_EQ(complaint_about("t.xlsx", "PK\x03\x04..."),
            "corrupt: t.xlsx: this is a zip archive, as spreadsheets are; unpack it, or save the sheet as csv");
  EXPECT_EQ(complaint_about("t.json", "[{\"a\": 1}]"),
            "corrupt: t.json: this is a JSON list; one object a line is wanted: jq -c '.[]' FILE");
  EXPECT_TRUE(
      complaint_about("t.parquet", "PAR1...").starts_with("corrupt: t.parquet: parquet is not read by this build"));
  EXPECT_TRUE(complaint_about("t.csv.gz", gz("a,b\n1,2\n").substr(0, 8))
                  .starts_with("corrupt: t.csv.gz: the packed data stops before its end"));
}

TEST(Hostile, WhatCannotBeOpened) {
  const Folder folder;
  EXPECT_EQ(complaint([&] { open_table({folder.path("none.csv")}); }),
            "io: cannot open " + folder.path("none.csv") + ": No such file or directory");
  EXPECT_EQ(complaint([&] { open_table({folder.path("")}); }),
            "io: " + folder.path("") + " is a directory; name the files in it");
  const std::string secret = folder.write("secret.csv", "a\n1\n");
  ::chmod(secret.c_str(), 0);
  if (::access(secret.c_str(), R_OK) != 0) {  // the administrator may read everything
    EXPECT_EQ(complaint([&] { open_table({secret}); }), "io: cannot open " + secret + ": Permission denied");
  }
}

TEST(Hostile, AHeaderAndNoRows) {
  EXPECT_EQ(csv_texts("a,b,c\n").texts, Texts{});
  EXPECT_EQ(csv_texts("a,b,c").names.size(), 3U);
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", "a,b,c\n")});
  EXPECT_EQ(complaint([&] { guess_columns(*reader); }),
            "invalid_argument: " + folder.path("t.csv") + " has a header and no rows");
}

TEST(Hostile, NulInsideIsABadRow) {
  const Read read = csv_numbers(std::string("a,b\n1,2\n3,\0\n5,6\n", 16));
  EXPECT_EQ(read.bad, std::vector<std::string>{"row 2, line 3: column 'b': '\\x00' is no number"});
  EXPECT_EQ(read.numbers[2], (std::vector<double>{5, 6}));
}

TEST(Hostile, BinaryInTheMiddleLosesNothingAround) {
  std::string junk;
  for (int i = 0; i < 1000; ++i) junk += static_cast<char>(i * 7919 % 251);
  std::erase(junk, '"');
  const Read read = csv_numbers("a,b\n1,2\n" + junk + "\n5,6\n");
  EXPECT_EQ(read.numbers.front(), (std::vector<double>{1, 2}));
  EXPECT_EQ(read.numbers.back(), (std::vector<double>{5, 6}));
  EXPECT_EQ(read.bad.size(), read.numbers.size() - 2);
}

// As much memory as a line may have, and no more.
TEST(Hostile, ALineWithoutEnd) {
  const Folder folder;
  const std::string path = folder.write("t.csv", "a,b\n1,2\n3,4\n" + std::string(300000, '7'));
  const Read read = read_numbers({path}, {.block_bytes = 1000, .most_line_bytes = 20000});
  EXPECT_EQ(read.numbers.size(), 2U);
  EXPECT_EQ(read.error,
            "corrupt: " + path +
                ", line 4: this line has no end within 32000 bytes, the most that a line may have; is this a table?");
}

TEST(Hostile, AQuoteOpenForLongerThanALineMayBe) {
  std::string table = "a,b\n1,2\n\"3,4\n";
  for (int i = 0; i < 20000; ++i) table += "5,6\n";
  const Folder folder;
  const Read read = read_numbers({folder.write("t.csv", table)}, {.block_bytes = 1000, .most_line_bytes = 20000});
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.numbers.size(), 20002U);
  EXPECT_EQ(read.bad.size(), 1U);
}

TEST(Hostile, APackedFileThatWasCutGivesItsRowsFirst) {
  std::string table = "a,b\n";
  for (int i = 0; i < 50000; ++i) table += std::to_string(i) + ",1\n";
  const Folder folder;
  const std::string packed_gz = gz(table), packed_zst = zst(table);
  const std::string gz_path = folder.write("t.csv.gz", packed_gz.substr(0, packed_gz.size() / 2));
  const std::string zst_path = folder.write("t.csv.zst", packed_zst.substr(0, packed_zst.size() - 1));
  for (const std::string& path : {gz_path, zst_path}) {
    const Read read = read_numbers({path});
    ASSERT_GT(read.numbers.size(), 20000U);
    for (std::size_t i = 0; i < read.numbers.size(); ++i) ASSERT_EQ(read.numbers[i][0], static_cast<double>(i));
    EXPECT_EQ(read.error, "corrupt: " + path + ", line " + std::to_string(read.numbers.size() + 2) +
                              ": the packed data stops before its end: the file was cut");
  }
}

TEST(Hostile, ADamagedPackedFileIsNoticed) {
  std::string packed = gz("a,b\n1,2\n3,4\n");
  packed[20] ^= 1;
  const Folder folder;
  const Read read = read_numbers({folder.write("t.csv.gz", packed)});
  EXPECT_NE(read.error.find("the gz data is damaged: incorrect data check"), std::string::npos) << read.error;
}

}  // namespace
}  // namespace expose::io

// Files that are not what they should be: each gets its sentence, and no good row is lost.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cmath>

#include "io/source.hpp"
#include "tests/io/files.hpp"
#include "tests/io/packing.hpp"
#include "tests/io/pipes.hpp"
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
  EXPECT_EQ(complaint_about("table", " [\n  {\"a\": 1}\n]"),
            "corrupt: table: this is a JSON list; one object a line is wanted: jq -c '.[]' FILE");
  for (const char* const name : {"t.json", "table"}) {
    EXPECT_EQ(complaint_about(name, "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n"),
              std::string("corrupt: ") + name +
                  ": the first line is only a part of a JSON object; one object a line is wanted: jq -c . FILE");
  }
  EXPECT_TRUE(complaint_about("t.csv.gz", gz("a,b\n1,2\n").substr(0, 8))
                  .starts_with("corrupt: t.csv.gz: the packed data stops before its end"));
}

TEST(Hostile, WhatIsPackedOtherwise) {
  EXPECT_EQ(
      complaint_about("t.csv.bz2", "BZh91AY&SY\x01\x02"),
      "corrupt: t.csv.bz2: this is packed by bzip2, only gz and zst are unpacked here; pipe it in: bzip2 -dc FILE | "
      "..");
  EXPECT_EQ(complaint_about("t.csv.xz", std::string("\xfd\x37zXZ\0\0\x04", 8)),
            "corrupt: t.csv.xz: this is packed by xz, only gz and zst are unpacked here; pipe it in: xz -dc FILE | ..");
  EXPECT_EQ(complaint_about("t.csv", "BZh9\n1\n"), "no complaint");
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

// Each of them is a bad row of 300,000 numbers: a megabyte of them would take a terabyte.
TEST(Hostile, ShortLinesUnderALongHeader) {
  std::string table = "a" + std::string(299999, ',') + "\n" + "1" + std::string(299999, ',') + "\n";
  for (int i = 0; i < 10000; ++i) table += "1\n";
  const Folder folder;
  const std::string path = folder.write("t.csv", table);
  const auto reader = open_table({path}, {.delimiter = ',', .header = true, .block_bytes = 1000});
  reader->expect(all_numbers(300000));
  TableBlock block;
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(block.rows(), 1U) << "what is good comes first";
  const std::string said = "overflow: " + path +
                           ", line 3: more than 16 rows of 300000 values in a few lines of text: they are far shorter "
                           "than the first; is this one table?";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(complaint([&] { reader->next(block); }), said);
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

// 200 MB through a pipe: no more is read than a line may have.
TEST(HostileThread, AFirstLineWithoutEnd) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  for (const std::string name : {"t.csv", "t.ndjson"}) {
    const Fifo fifo(name);
    std::size_t written = 0;
    std::jthread writer([&] {
      const FifoEnd end(fifo.path());
      const std::string some(kMegabyte, 'a');
      while (written < 200 * kMegabyte && end.write(some)) written += some.size();
    });
    EXPECT_EQ(complaint([&] { open_table({fifo.path()}); }),
              "corrupt: " + fifo.path() +
                  ": its first line has no end within 16777216 bytes, the most that a line may have; is this a table?");
    writer.join();
    EXPECT_LT(written, 20 * kMegabyte);
  }
}

TEST(Hostile, WhatLiesBelowAFile) {
  const Folder folder;
  const std::string path = folder.write("t.csv", "a\n1\n") + "/u.csv";
  EXPECT_EQ(complaint([&] { open_table({path}); }), "io: cannot open " + path + ": Not a directory");
}

// As long as somebody reads it, a file is what it was when it was opened, or there is an error.
class Changing : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 5000;

  void SetUp() override {
    for (std::size_t i = 0; i < kRows; ++i) table_ += "1,2\n";
    path_ = folder_.write("t.csv", table_);
    reader_ = open_table({path_}, {.block_bytes = 1000});
    reader_->expect(all_numbers(2));
  }
  std::string said() const { return path_ + " was changed while it was read; let it rest, or read a copy of it"; }

  Folder folder_;
  std::string table_ = "a,b\n";
  std::string path_;
  std::unique_ptr<TableReader> reader_;
};

TEST_F(Changing, ItBecomesShorterBetweenPasses) {
  EXPECT_EQ(read_all(*reader_, 0).numbers.size(), kRows);
  std::filesystem::resize_file(path_, 1000);
  EXPECT_EQ(complaint([&] { reader_->rewind(); }), "io: " + said());
}

TEST_F(Changing, ItBecomesShorterWithinAPass) {
  TableBlock block;
  ASSERT_TRUE(reader_->next(block));
  std::filesystem::resize_file(path_, 10000);
  const Read read = read_all(*reader_, 0);
  EXPECT_EQ(read.numbers.size() + block.rows(), 2499U) << "rows that were there are given";
  EXPECT_EQ(read.error, "io: " + path_ + ", line 2501: " + said());
}

TEST_F(Changing, ItIsWrittenAnew) {
  EXPECT_EQ(read_all(*reader_, 0).numbers.size(), kRows);
  std::filesystem::last_write_time(path_, std::filesystem::last_write_time(path_) + std::chrono::seconds(1));
  EXPECT_EQ(complaint([&] { reader_->rewind(); }), "io: " + said());
}

TEST_F(Changing, WhatIsWrittenOnIsNotRead) {
  std::ofstream(path_, std::ios::app) << "3,4\n";
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(read_all(*reader_, 0).numbers.size(), kRows);
    ASSERT_TRUE(reader_->rewind());
  }
  EXPECT_EQ(read_numbers({path_}).numbers.size(), kRows + 1);
}

}  // namespace
}  // namespace expose::io

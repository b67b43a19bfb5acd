// Blocks that are kept between passes: the same rows as without, and neither read nor parsed again.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "expose/base/random.hpp"
#include "expose/base/text.hpp"
#include "io/source.hpp"
#include "tests/io/packing.hpp"
#include "tests/io/pipes.hpp"

namespace expose::io {
namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 30;

// Key, number and category; some rows are bad.
std::string payments(int rows) {
  Random random(7, 0);
  std::string table = "key,amount,country\n";
  for (int i = 1; i <= rows; ++i) {
    table += "key number " + std::to_string(i) + "," + (i % 70 == 0 ? "much" : text(random.normal())) +
             (i % 90 == 0            ? ""
              : random.below(3) == 0 ? ",FR"
                                     : ",\"D\"\"E\"") +
             "\n";
  }
  return table;
}

const Columns kColumns({{.name = "key", .role = Role::id},
                        {.name = "amount"},
                        {.name = "country", .role = Role::category, .levels = {"D\"E", "FR"}}});

// All that a pass gives, as words; numbers as bits.
std::vector<std::string> pass(TableSource& source, std::size_t most_blocks = kPlenty) {
  std::vector<std::string> words;
  try {
    for (std::size_t b = 0; b < most_blocks; ++b) {
      const Records records = source.next();
      if (records.empty()) break;
      const TableBlock& block = source.block();
      for (std::size_t i = 0; i < records.n(); ++i) {
        std::string row = std::to_string(block.first_row + i) + " " + block.file + ":" + std::to_string(block.line(i));
        for (std::size_t c = 0; c < records.d(); ++c) {
          row += " " + std::to_string(std::bit_cast<std::uint64_t>(records.at(i, c)));
        }
        words.push_back(row + " " + std::string(block.text(i, source.encoder().text_of(0))));
      }
    }
  } catch (const Error& error) {
    words.emplace_back(error.what());
  }
  for (const BadRow& bad : source.bad()) words.push_back(sentence(bad));
  words.push_back(std::to_string(source.rows()) + " rows, " + std::to_string(source.bad_rows()) + " bad");
  return words;
}

// Passes a reader on, and counts what is asked of it.
class Counted final : public TableReader {
 public:
  explicit Counted(TableReader& reader) : reader_(reader) {}
  const std::vector<std::string>& names() const override { return reader_.names(); }
  const std::string& file() const override { return reader_.file(); }
  void expect(const Layout& layout, Finish finish) override { reader_.expect(layout, std::move(finish)); }
  bool next(TableBlock& block) override {
    const bool any = reader_.next(block);
    blocks += any ? 1 : 0;
    return any;
  }
  bool rewind() override {
    ++rewinds;
    return reader_.rewind();
  }
  bool repeatable() const override { return reader_.repeatable(); }
  void no_rewind() override { reader_.no_rewind(); }

  int blocks = 0;
  int rewinds = 0;

 private:
  TableReader& reader_;
};

TEST(Keep, TheSameRowsWithAndWithout) {
  const Folder folder;
  const std::string table = payments(3000);
  const std::string packed = gz(table);
  Pool pool(2);
  for (const std::string& path :
       {folder.write("t.csv", table), folder.write("cut.csv.gz", packed.substr(0, packed.size() * 3 / 4))}) {
    const ReadOptions options{.pool = &pool, .block_bytes = 4000};
    const auto plain = open_table({path}, options);
    TableSource read(*plain, kColumns);
    const std::vector<std::string> expected = pass(read);
    ASSERT_GT(expected.size(), 2000U);
    for (const std::size_t keep : {std::size_t{1}, std::size_t{30000}, kPlenty}) {
      const auto reader = open_table({path}, options);
      TableSource source(*reader, kColumns, keep);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(pass(source), expected) << path << " pass " << i << ", keeping " << keep;
        ASSERT_TRUE(source.rewind());
        pass(source, 5);  // a pass that is not finished
        ASSERT_TRUE(source.rewind());
      }
      EXPECT_EQ(source.kept_bytes() > 0, keep == kPlenty);
    }
  }
}

TEST(Keep, NothingIsReadTwice) {
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", payments(3000))}, {.block_bytes = 4000});
  Counted counted(*reader);
  TableSource source(counted, kColumns, kPlenty);
  const std::vector<std::string> first = pass(source);
  const int blocks = counted.blocks;
  ASSERT_GT(blocks, 10);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(source.rewind());
    EXPECT_EQ(pass(source), first);
  }
  EXPECT_EQ(counted.blocks, blocks);
  EXPECT_EQ(counted.rewinds, 0);
}

TEST(Keep, BeyondTheLimitTheReaderIsRewound) {
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", payments(3000))}, {.block_bytes = 4000});
  Counted counted(*reader);
  TableSource source(counted, kColumns, 30000);
  pass(source, 3);
  EXPECT_GT(source.kept_bytes(), 10000U);
  pass(source);
  EXPECT_EQ(source.kept_bytes(), 0U);
  ASSERT_TRUE(source.rewind());
  EXPECT_EQ(counted.rewinds, 1);
}

// A pipe that has forgotten its beginning, while the blocks are all there.
TEST(KeepThread, APipeComesAgain) {
  const Piped pipe(payments(40000));
  const auto reader = open_table({pipe.path()}, {.block_bytes = 20000, .pipe_bytes = 600000});
  TableSource source(*reader, kColumns, kPlenty);
  const std::vector<std::string> first = pass(source);
  EXPECT_GT(first.size(), 40000U);
  EXPECT_FALSE(reader->rewind());
  ASSERT_TRUE(source.rewind());
  EXPECT_EQ(pass(source), first);
}

// Numbers take 8 bytes; all that is around them, little.
TEST(Keep, TakesLittleMoreThanTheNumbers) {
  constexpr std::size_t kRows = 9000, kWidth = 60;
  std::string table;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t c = 0; c < kWidth; ++c)
      table += std::to_string(i * c % (i < 5000 ? 9 : 99999)) + (c + 1 < kWidth ? "," : "\n");
  }
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", table)}, {.header = false, .block_bytes = 100000});
  TableSource source(*reader, Columns::numbers(kWidth), kPlenty);
  while (!source.next().empty()) {
  }
  EXPECT_EQ(source.rows(), kRows);
  EXPECT_LT(static_cast<double>(source.kept_bytes()), 1.15 * kRows * kWidth * sizeof(double));
}

}  // namespace
}  // namespace expose::io

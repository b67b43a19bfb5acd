// What csv means: quotes, delimiters, headers. The expected fields are those of Python's csv module (but for blanks
// around fields, which we drop).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/io/files.hpp"

namespace expose::io {
namespace {

using Names = std::vector<std::string>;

TEST(Csv, QuotesAsRfc4180Says) {
  const Read read = csv_texts(
      "a,b,c\n"
      "\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n"
      "\"\",\"\"\"\",\"a\r\nb\"\n"
      "5\" pipe,a\"b\"c,\"ab\"cd\"e\n"
      "\"x\" ,\" y \",z\n");
  EXPECT_EQ(read.names, (Names{"a", "b", "c"}));
  EXPECT_EQ(read.texts, (Texts{{"x,y", "say \"hi\"", "two\nlines"},
                               {"", "\"", "a\r\nb"},
                               {"5\" pipe", "a\"b\"c", "abcd\"e"},
                               {"x", " y ", "z"}}));
  EXPECT_EQ(read.lines, (std::vector<std::size_t>{2, 4, 6, 7}));
  EXPECT_EQ(read.bad, Names{});
}

TEST(Csv, LinesEndAsTheyLike) {
  const Texts expected = {{"1", "2"}, {"3", "4"}};
  EXPECT_EQ(csv_texts("a,b\n1,2\n3,4\n").texts, expected);
  EXPECT_EQ(csv_texts("a,b\r\n1,2\r\n3,4\r\n").texts, expected);
  EXPECT_EQ(csv_texts("a,b\n1,2\n3,4").texts, expected) << "no newline at the end";
  EXPECT_EQ(csv_texts("a,b\r\n1,2\r\n3,4").texts, expected);
  EXPECT_EQ(csv_texts("\n\na,b\n\n1,2\n\r\n\n3,4\n\n").texts, expected) << "empty lines";
  EXPECT_EQ(csv_texts("\xef\xbb\xbf"
                      "a,b\n1,2\n3,4\n")
                .texts,
            expected)
      << "byte order mark";
  EXPECT_EQ(csv_texts("\xef\xbb\xbf"
                      "a,b\n1,2\n3,4\n")
                .names,
            (Names{"a", "b"}));
  EXPECT_EQ(csv_texts("a,b\n1,2,\n3,4,\n").texts, expected) << "a delimiter at the end of each line";
}

TEST(Csv, FindsTheDelimiter) {
  const Texts expected = {{"1", "x y"}, {"2", "z"}};
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "a,b\n1,x y\n2,z\n";
    std::ranges::replace(text, ',', delimiter);
    EXPECT_EQ(csv_texts(text).texts, expected) << delimiter;
  }
  EXPECT_EQ(csv_texts("a;b\n1,5;2,5\n").texts, (Texts{{"1,5", "2,5"}})) << "a comma inside";
  EXPECT_EQ(csv_texts("a,b\n\"x;y;z\",1\n\"u;v;w\",2\n").texts, (Texts{{"x;y;z", "1"}, {"u;v;w", "2"}}));
  EXPECT_EQ(csv_texts("a,b\nx;y,1\n", {.delimiter = ';'}).names, (Names{"a,b"})) << "told";
}

TEST(Csv, OneColumnNeedsNoDelimiter) {
  const Read read = csv_numbers("x\n1\n\n3\n");
  EXPECT_EQ(read.names, Names{"x"});
  ASSERT_EQ(read.numbers.size(), 3U) << "an empty line is a missing value";
  EXPECT_EQ(read.numbers[0][0], 1);
  EXPECT_TRUE(std::isnan(read.numbers[1][0]));
  EXPECT_EQ(read.numbers[2][0], 3);
}

TEST(Csv, FindsTheHeader) {
  EXPECT_EQ(csv_texts("1,2\n3,4\n").names, (Names{"column_1", "column_2"}));
  EXPECT_EQ(csv_texts("1,2\n3,4\n").texts.size(), 2U);
  EXPECT_EQ(csv_texts("name,2019\nx,3\n").names, (Names{"column_1", "column_2"})) << "both look like data";
  EXPECT_EQ(csv_texts("id,2019\n7,3\n").names, (Names{"id", "2019"})) << "a name above a number";
  EXPECT_EQ(csv_texts("5.1,setosa\n4.9,setosa\n").names, (Names{"column_1", "column_2"}));
  EXPECT_EQ(csv_texts("name,2019\nx,3\n", {.header = true}).names, (Names{"name", "2019"}));
  EXPECT_EQ(csv_texts("a,b\n1,2\n", {.header = false}).texts.size(), 2U);
  EXPECT_EQ(csv_texts("a,,a,a\n1,2,3,4\n").names, (Names{"a", "column_2", "a.2", "a.3"}));
  EXPECT_EQ(csv_texts("a,a.2,a,a\n1,2,3,4\n").names, (Names{"a", "a.2", "a.3", "a.4"}));
  EXPECT_EQ(csv_texts("\"two\nlines\",b\n1,2\n").names, (Names{"two\nlines", "b"}));
  EXPECT_EQ(csv_texts("\"two\nlines\",b\n1,2\n").lines, (std::vector<std::size_t>{3}));
}

TEST(Csv, NumbersMayBeQuotedPaddedOrMissing) {
  const Read read = csv_numbers("a,b,c\n\"1.5\", -2 ,+3\n.5,1.,1e3\nNA,?,\n-0,007,\" 8 \"\n");
  EXPECT_EQ(read.bad, Names{});
  ASSERT_EQ(read.numbers.size(), 4U);
  EXPECT_EQ(read.numbers[0], (std::vector<double>{1.5, -2, 3}));
  EXPECT_EQ(read.numbers[1], (std::vector<double>{0.5, 1, 1000}));
  for (const double value : read.numbers[2]) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(read.numbers[3], (std::vector<double>{0, 7, 8}));
  EXPECT_TRUE(std::signbit(read.numbers[3][0]));
}

TEST(Csv, BadRowsKeepTheirPlaceAndSayWhy) {
  const Read read = csv_numbers("a,b\n1,2\n3\n4,x\n5,6,7\n8,9e999\n\n10,11\n");
  ASSERT_EQ(read.numbers.size(), 6U);
  EXPECT_EQ(read.numbers[0], (std::vector<double>{1, 2}));
  EXPECT_EQ(read.numbers[5], (std::vector<double>{10, 11}));
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_TRUE(std::isinf(read.numbers[i][0]) && std::isinf(read.numbers[i][1])) << i;
  EXPECT_EQ(read.bad, (Names{"row 2, line 3: 1 field, the table has 2", "row 3, line 4: column 'b': 'x' is no number",
                             "row 4, line 5: 3 fields, the table has 2",
                             "row 5, line 6: column 'b': '9e999' is beyond the largest number"}));
}

TEST(Csv, AQuoteThatIsNeverClosedCostsItsLine) {
  const Read read = csv_texts("a,b\n1,2\n\"3,4\n5,6\n7,8\n");
  EXPECT_EQ(read.texts.size(), 4U);
  EXPECT_EQ(read.texts[3], (std::vector<std::string>{"7", "8"}));
  EXPECT_EQ(read.bad, Names{"row 2, line 3: a quote is opened and never closed: '\"3,4'"});
}

// As many columns as wanted, where they are wanted.
TEST(Csv, GivesWhatIsAskedFor) {
  const Folder folder;
  const auto reader = open_table({folder.write("t.csv", "a,b,c\n1,x,3\n4,y,6\n")});
  reader->expect({{{Want::number, 1}, {Want::text, 0}, {}}, 2, 1});
  TableBlock block;
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(block.numbers(1)[1], 4);
  EXPECT_EQ(block.text(1, 0), "y");
  EXPECT_FALSE(reader->next(block));
  ASSERT_TRUE(reader->rewind());
  reader->expect(all_texts(3));
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(block.text(1, 2), "6");
  EXPECT_EQ(block.first_row, 1U);
}

}  // namespace
}  // namespace expose::io

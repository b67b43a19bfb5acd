#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/io/files.hpp"
#include "tests/io/packing.hpp"
#include "tests/support/complaint.hpp"

namespace expose::io {
namespace {

std::string header(const std::string& type, bool fortran, const std::string& shape) {
  const std::string text =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + std::string("\x01\x00", 2) + little_endian(text.size(), 2) + text;
}

template <class T>
std::string bytes_of(const std::vector<T>& values, bool swapped = false) {
  std::string all;
  for (const T value : values) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (swapped) bytes.assign(bytes.rbegin(), bytes.rend());
    all += bytes;
  }
  return all;
}

Read npy(const std::string& bytes, const ReadOptions& options = {}) {
  const Folder folder;
  return read_numbers({folder.write("t.npy", bytes)}, options);
}

const std::vector<std::vector<double>> kExpected = {{1, 2, 3}, {4, 5, 6}};

template <class T>
void expect_read(const std::string& type) {
  const std::vector<T> rows = {1, 2, 3, 4, 5, 6}, columns = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(npy(header("<" + type, false, "(2, 3)") + bytes_of(rows)).numbers, kExpected) << type;
  EXPECT_EQ(npy(header(">" + type, false, "(2, 3)") + bytes_of(rows, true)).numbers, kExpected) << type;
  EXPECT_EQ(npy(header("|" + type, true, "(2, 3)") + bytes_of(columns)).numbers, kExpected) << type;
  EXPECT_EQ(npy(header("<" + type, true, "(2, 3)") + bytes_of(columns), {.block_bytes = 1}).numbers, kExpected) << type;
}

TEST(Npy, AllTypesAndOrders) {
  expect_read<float>("f4");
  expect_read<double>("f8");
  expect_read<std::int8_t>("i1");
  expect_read<std::int16_t>("i2");
  expect_read<std::int32_t>("i4");
  expect_read<std::int64_t>("i8");
  expect_read<std::uint8_t>("u1");
  expect_read<std::uint16_t>("u2");
  expect_read<std::uint32_t>("u4");
  expect_read<std::uint64_t>("u8");
  EXPECT_EQ(npy(header("|b1", false, "(2,)") + std::string("\1\0", 2)).numbers,
            (std::vector<std::vector<double>>{{1}, {0}}));
  EXPECT_EQ(npy(header("<i1", false, "(1, 1)") + "\xff").numbers[0][0], -1);
}

TEST(Npy, NamesTextsAndRewind) {
  const Folder folder;
  const auto reader =
      open_table({folder.write("t", header("<f8", false, "(2, 3)") + bytes_of<double>({1, 2.5, 3, 4, 5, 6}))});
  EXPECT_EQ(reader->names(), (std::vector<std::string>{"column_1", "column_2", "column_3"}));
  EXPECT_EQ(read_all(*reader, 3).texts, (Texts{{"1", "2.5", "3"}, {"4", "5", "6"}}));
  ASSERT_TRUE(reader->rewind());
  reader->expect({{{}, {Want::number, 0}, {}}, 1, 0});
  EXPECT_EQ(read_all(*reader, 0).numbers, (std::vector<std::vector<double>>{{2.5}, {5}}));
}

TEST(Npy, MissingAndInfinite) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Read read = npy(header("<f8", false, "(3, 2)") + bytes_of<double>({1, std::nan(""), 3, -kInf, 5, 6}));
  EXPECT_TRUE(std::isnan(read.numbers[0][1]));
  EXPECT_EQ(read.bad, std::vector<std::string>{"row 2, line 0: column 'column_2': infinity is no number"});
  EXPECT_EQ(read.numbers[2], (std::vector<double>{5, 6}));
}

TEST(Npy, CutGivesItsRowsFirst) {
  const Read read = npy(header("<f8", false, "(3, 2)") + bytes_of<double>({1, 2, 3, 4, 5}), {.block_bytes = 1});
  EXPECT_EQ(read.numbers, (std::vector<std::vector<double>>{{1, 2}, {3, 4}}));
  EXPECT_NE(read.error.find("it was cut after 2 of 3 rows"), std::string::npos) << read.error;
}

TEST(Npy, RefusesWhatIsNoTable) {
  const Folder folder;
  const auto said = [&](const std::string& bytes) {
    const std::string path = folder.write("t.npy", bytes);
    const std::string words = complaint([&] { open_table({path}); });
    EXPECT_NE(words.find(path), std::string::npos) << words;
    return words.substr(words.find(path) + path.size());
  };
  EXPECT_TRUE(said(header("<c16", false, "(2, 3)")).starts_with(": its numbers are of type ''<c16''; float32"));
  EXPECT_TRUE(said(header("<f2", false, "(2, 3)")).starts_with(": its numbers are of type"));
  EXPECT_TRUE(said(header("<f8", false, "(2, 3, 4)")).starts_with(": it has 3 dimensions, a table has 1 or 2"));
  EXPECT_TRUE(said(header("<f8", false, "()")).starts_with(": it has 0 dimensions"));
  EXPECT_EQ(said(header("<f8", false, "(2, 0)")), ": it has rows without columns");
  EXPECT_TRUE(said(header("<f8", false, "(2, 9999999999)")).starts_with(": it has 9999999999 columns"));
  EXPECT_TRUE(said(header("<f8", false, "(9223372036854775807, 2)")).starts_with(": it claims"));
  EXPECT_EQ(said(header("<f8", false, "(2, x)")), ": its shape is no list of numbers");
  EXPECT_EQ(said(header("<f8", true, "(2, 3)") + "abc"), ": it was cut: numbers are missing");
  EXPECT_EQ(said("\x93NUMPY\x09"), ": it is no .npy file");
  EXPECT_EQ(said(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)), ": it was cut in its header");
}

}  // namespace
}  // namespace expose::io

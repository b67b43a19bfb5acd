#include "expose/base/bytes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Writer, PutsTheLeastSignificantByteFirst) {
  Writer writer;
  writer.u8(0x01);
  writer.u16(0x0302);
  writer.u32(0x07060504);
  writer.u64(0x0f0e0d0c0b0a0908);
  EXPECT_EQ(writer.bytes(), bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(Writer, PutsSignedAndRealNumbersAsTheirBits) {
  Writer writer;
  writer.i64(-2);
  writer.f32(1.0F);
  writer.f64(-2.0);
  EXPECT_EQ(writer.bytes(),
            bytes_of({0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}));
}

TEST(Writer, PutsLengthsBeforeTextsAndArraysButNotBeforeRawBytes) {
  Writer writer;
  writer.text("hi");
  writer.raw(bytes_of({9}));
  writer.f32s(std::vector<float>{1.0F});
  writer.i64s(std::vector<std::int64_t>{3});
  EXPECT_EQ(writer.bytes(), bytes_of({2,    0, 0, 0, 'h', 'i', 9, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,
                                      0x3f, 1, 0, 0, 0,   0,   0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Writer, RefusesATextWhoseLengthDoesNotFit) {
  if constexpr (sizeof(std::size_t) > 4) {
    constexpr std::size_t kSize = std::size_t{1} << 32;
    const std::unique_ptr<char[]> text(new (std::nothrow) char[kSize]);  // never touched, so never really there
    if (!text) GTEST_SKIP() << "no address space for a long text";
    Writer writer;
    EXPECT_EQ(complaint([&] {
                writer.text({text.get(), kSize});
              }),
              "overflow: a text has 4294967296 bytes, at most 4294967295 can be written");
    EXPECT_TRUE(writer.bytes().empty());
  }
}

TEST(Reader, TakesOutWhatWriterPutIn) {
  const std::vector<float> floats = {0.1F, -0.0F, std::numeric_limits<float>::infinity()};
  const std::vector<double> doubles = {0.1, std::numeric_limits<double>::denorm_min()};
  const std::vector<std::int64_t> integers = {std::numeric_limits<std::int64_t>::min(), -1, 0,
                                              std::numeric_limits<std::int64_t>::max()};
  const std::string text("a\0\xff z", 5);
  Writer writer;
  writer.u8(255);
  writer.u16(65535);
  writer.u32(4294967295);
  writer.u64(~std::uint64_t{0});
  writer.i64(std::numeric_limits<std::int64_t>::min());
  writer.f32(0.1F);
  writer.f64(0.1);
  writer.text(text);
  writer.text("");
  writer.f32s(floats);
  writer.f64s(doubles);
  writer.i64s(integers);
  writer.i64s({});
  writer.raw(bytes_of({7, 8}));

  Reader reader(writer.bytes());
  EXPECT_EQ(reader.u8(), 255);
  EXPECT_EQ(reader.u16(), 65535);
  EXPECT_EQ(reader.u32(), 4294967295);
  EXPECT_EQ(reader.u64(), ~std::uint64_t{0});
  EXPECT_EQ(reader.i64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.f32(), 0.1F);
  EXPECT_EQ(reader.f64(), 0.1);
  EXPECT_EQ(reader.text(), text);
  EXPECT_EQ(reader.text(), "");
  const std::vector<float> floats_back = reader.f32s();
  EXPECT_EQ(floats_back, floats);
  EXPECT_TRUE(std::signbit(floats_back[1]));
  EXPECT_EQ(reader.f64s(), doubles);
  EXPECT_EQ(reader.i64s(), integers);
  EXPECT_TRUE(reader.i64s().empty());
  EXPECT_EQ(reader.left(), 2u);
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(reader.raw(2)[1], std::byte{8});
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.position(), writer.bytes().size());
}

TEST(Reader, KeepsTheBitsOfNaN) {
  constexpr std::uint64_t kPayload = 0xfff8000000000123;
  Writer writer;
  writer.u64(kPayload);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(Reader(writer.bytes()).f64()), kPayload);
}

TEST(Reader, SaysWhereBytesAreMissing) {
  const auto bytes = bytes_of({1, 2, 3, 4, 5});
  Reader reader(bytes);
  reader.u16();
  EXPECT_EQ(complaint([&] { reader.u32(); }), "corrupt: at byte 2: 4 bytes are wanted, 3 are left");
  EXPECT_EQ(complaint([&] { reader.u64(); }), "corrupt: at byte 2: 8 bytes are wanted, 3 are left");
  EXPECT_EQ(complaint([&] { reader.i64(); }), "corrupt: at byte 2: 8 bytes are wanted, 3 are left");
  EXPECT_EQ(complaint([&] { reader.f32(); }), "corrupt: at byte 2: 4 bytes are wanted, 3 are left");
  EXPECT_EQ(complaint([&] { reader.f64(); }), "corrupt: at byte 2: 8 bytes are wanted, 3 are left");
  EXPECT_EQ(complaint([&] { reader.raw(4); }), "corrupt: at byte 2: 4 bytes are wanted, 3 are left");
  EXPECT_EQ(reader.u16(), 0x0403);
  EXPECT_EQ(complaint([&] { reader.u16(); }), "corrupt: at byte 4: 2 bytes are wanted, 1 are left");
  EXPECT_EQ(reader.u8(), 5);
  EXPECT_EQ(complaint([&] { reader.u8(); }), "corrupt: at byte 5: 1 bytes are wanted, 0 are left");
}

// 2^62 floats would be 2^64 bytes, which is 0 in 64 bits: the check must not multiply.
TEST(Reader, RefusesCountsThatCannotBeTrueBeforeItAllocates) {
  for (const std::uint64_t claim : {std::uint64_t{2}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    Writer writer;
    writer.u8(0);
    writer.u64(claim);
    writer.f32(1.0F);
    writer.u8(0);
    Reader reader(writer.bytes());
    reader.u8();
    const std::string sentence = "corrupt: at byte 1: " + std::to_string(claim) + " elements of ";
    EXPECT_EQ(complaint([&] { reader.f32s(); }), sentence + "4 bytes are claimed, 5 bytes are left");
    EXPECT_EQ(complaint([&] { reader.f64s(); }), sentence + "8 bytes are claimed, 5 bytes are left");
    EXPECT_EQ(complaint([&] { reader.i64s(); }), sentence + "8 bytes are claimed, 5 bytes are left");
    EXPECT_EQ(complaint([&] { reader.count(3); }), sentence + "3 bytes are claimed, 5 bytes are left");
    EXPECT_EQ(reader.position(), 1u);
  }
}

TEST(Reader, AcceptsACountThatJustFits) {
  Writer writer;
  writer.u64(2);
  writer.u16(0);
  writer.u16(0);
  Reader reader(writer.bytes());
  EXPECT_EQ(reader.count(2), 2u);
  EXPECT_EQ(reader.left(), 4u);
}

TEST(Reader, StandsWhereItStoodAfterATextThatIsCutOff) {
  Writer writer;
  writer.u32(10);
  writer.raw(bytes_of({'a', 'b'}));
  Reader reader(writer.bytes());
  EXPECT_EQ(complaint([&] { reader.text(); }), "corrupt: at byte 4: 10 bytes are wanted, 2 are left");
  EXPECT_EQ(reader.position(), 0u);
  EXPECT_EQ(reader.u32(), 10u);
}

// The oracle of law 6: whatever is cut off, the reader notices, and notices only then.
TEST(Reader, NoticesEveryTruncation) {
  Writer writer;
  writer.text("expose");
  writer.f32s(std::vector<float>{1, 2, 3});
  writer.i64(5);
  const auto read = [](std::span<const std::byte> bytes) {
    Reader reader(bytes);
    reader.text();
    reader.f32s();
    reader.i64();
  };
  const std::span<const std::byte> whole(writer.bytes());
  EXPECT_EQ(complaint([&] { read(whole); }), "no complaint");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_EQ(complaint([&] { read(whole.first(n)); }).substr(0, 8), "corrupt:") << n;
  }
}

TEST(Reader, AYesOrNoIsOneOrZeroAndNothingElse) {
  Writer writer;
  writer.u8(1);
  writer.u8(0);
  writer.u8(2);
  Reader reader(writer.bytes());
  EXPECT_TRUE(reader.yes_no());
  EXPECT_FALSE(reader.yes_no());
  EXPECT_EQ(complaint([&] { reader.yes_no(); }), "corrupt: a yes or no is 1 or 0, this one is 2");
  EXPECT_EQ(reader.left(), 1U);
}

}  // namespace
}  // namespace expose

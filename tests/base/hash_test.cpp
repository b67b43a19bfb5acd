#include "expose/base/hash.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace expose {
namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return hash64(std::as_bytes(std::span(text)), seed);
}

// The bytes and answers of the self test of xxHash (xxhsum): one length for each way the algorithm can take.
constexpr std::uint64_t kPrime32 = 2654435761;
constexpr std::uint64_t kPrime64 = 11400714785074694797U;

std::vector<std::byte> sanity_bytes(std::size_t n) {
  std::vector<std::byte> bytes(n);
  std::uint64_t state = kPrime32;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(state >> 56);
    state *= kPrime64;
  }
  return bytes;
}

TEST(Hash, GivesThePublishedAnswers) {
  struct Known {
    std::size_t n;
    std::uint64_t seed0, seed_prime;
  };
  const Known answers[] = {
      {0, 0x2D06800538D394C2, 0xA8A6B918B2F0364A},    {1, 0xC44BDFF4074EECDB, 0x032BE332DD766EF8},
      {6, 0x27B56A84CD2D7325, 0x84589C116AB59AB9},    {12, 0xA713DAF0DFBB77E7, 0xE7303E1B2336DE0E},
      {24, 0xA3FE70BF9D3510EB, 0x850E80FC35BDD690},   {48, 0x397DA259ECBA1F11, 0xADC2CBAA44ACC616},
      {80, 0xBCDEFBBB2C47C90A, 0xC6DD0CB699532E73},   {195, 0xCD94217EE362EC3A, 0xBA68003D370CB3D9},
      {403, 0xCDEB804D65C6DEA4, 0x6259F6ECFD6443FD},  {512, 0x617E49599013CB6B, 0x3CE457DE14C27708},
      {2048, 0xDD59E2C3A5F038E0, 0x66F81670669ABABC},
  };
  for (const Known& known : answers) {
    EXPECT_EQ(hash64(sanity_bytes(known.n)), known.seed0) << known.n;
    EXPECT_EQ(hash64(sanity_bytes(known.n), kPrime64), known.seed_prime) << known.n;
  }
}

TEST(Hash, DependsOnEveryByteAndOnTheLength) {
  EXPECT_NE(hash_of("expose"), hash_of("exposf"));
  EXPECT_NE(hash_of("expose"), hash_of(std::string_view("expose\0", 7)));
  EXPECT_NE(hash_of("expose"), hash_of("expose", 1));
  EXPECT_EQ(hash_of("expose"), hash_of("expose", 0));
}

TEST(Hex, HasSixteenLowerCaseDigits) {
  EXPECT_EQ(hex(0), "0000000000000000");
  EXPECT_EQ(hex(0x0123456789ABCDEF), "0123456789abcdef");
  EXPECT_EQ(hex(~std::uint64_t{0}), "ffffffffffffffff");
}

}  // namespace
}  // namespace expose

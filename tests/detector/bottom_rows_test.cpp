#include "expose/detector/bottom_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "expose/base/random.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr std::size_t kCapacity = 20;

using Hashes = std::vector<std::uint64_t>;
using Counts = std::map<std::uint64_t, std::int64_t>;

// The content that goes with a made-up hash.
std::vector<double> row_of(std::uint64_t hash) { return {static_cast<double>(hash), 0.5}; }

BottomRows<float> empty() { return {2, kCapacity}; }

BottomRows<float> learn(const Hashes& hashes) {
  BottomRows<float> rows = empty();
  for (const std::uint64_t hash : hashes) rows.add(hash, row_of(hash));
  return rows;
}

// n rows out of `distinct`: some come often, some once, some never.
Hashes draw(std::size_t n, std::uint64_t distinct, std::uint64_t seed) {
  Random random(seed, 0);
  Hashes hashes(n);
  for (std::uint64_t& hash : hashes) hash = random.below(random.below(distinct) + 1);
  return hashes;
}

Hashes together(Hashes a, const Hashes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Counts counts_below(const BottomRows<float>& rows, std::uint64_t ceiling) {
  Counts counts;
  for (const auto& [hash, entry] : rows) {
    if (hash < ceiling) counts[hash] = entry.count;
  }
  return counts;
}

std::vector<std::byte> bytes_of(const BottomRows<float>& rows) {
  Writer writer;
  rows.write(writer);
  return writer.bytes();
}

BottomRows<float> from(const std::vector<std::byte>& bytes) {
  Reader reader(bytes);
  return BottomRows<float>::read(reader, 2, kCapacity);
}

TEST(BottomRows, KeepsTheSmallestHashesWithAllTheirCopies) {
  const Hashes hashes = draw(5000, 300, 1);
  Counts all;
  for (const std::uint64_t hash : hashes) ++all[hash];
  ASSERT_GT(all.size(), 100U);

  const BottomRows<float> rows = learn(hashes);
  ASSERT_EQ(rows.size(), kCapacity);
  auto expected = all.begin();
  for (const auto& [hash, entry] : rows) {
    EXPECT_EQ(hash, expected->first);
    EXPECT_EQ(entry.count, expected->second);
    EXPECT_EQ(entry.row, (std::vector<float>{static_cast<float>(hash), 0.5F}));
    ++expected;
  }
  EXPECT_EQ(rows.ceiling(), expected->first);
}

TEST(BottomRows, KnowEverythingUpToTheirCapacity) {
  Hashes hashes;
  for (std::uint64_t hash = 100; hash < 100 + kCapacity; ++hash) hashes.push_back(hash);
  EXPECT_EQ(learn(hashes).size(), kCapacity);
  EXPECT_EQ(learn(hashes).ceiling(), BottomRows<float>::kNoCeiling);
  EXPECT_EQ(learn(together(hashes, {7})).ceiling(), 100 + kCapacity - 1);
  EXPECT_EQ(learn(together(hashes, {999})).ceiling(), 999U);
}

TEST(BottomRows, AreFreeOfOrderPartitionAndMergeOrder) {
  for (const std::uint64_t distinct : {15U, 25U, 400U}) {
    Hashes hashes = draw(600, distinct, distinct);
    const BottomRows<float> whole = learn(hashes);
    Random random(distinct, 1);
    for (int trial = 0; trial < 50; ++trial) {
      for (std::size_t i = hashes.size(); i > 1; --i) std::swap(hashes[i - 1], hashes[random.below(i)]);
      EXPECT_EQ(learn(hashes), whole);

      std::vector<Hashes> parts(4);
      for (const std::uint64_t hash : hashes) parts[random.below(4)].push_back(hash);
      BottomRows<float> ab = learn(parts[0]);
      ab += learn(parts[1]);
      BottomRows<float> cd = learn(parts[2]);
      cd += learn(parts[3]);
      BottomRows<float> left = ab;
      left += cd;
      EXPECT_EQ(left, whole);
      cd += ab;
      EXPECT_EQ(cd, whole);
    }
  }
}

TEST(BottomRows, ExpectingRowsChangesNothingOnceTheyHaveCome) {
  for (const std::uint64_t distinct : {15, 40, 1000}) {
    const Hashes first = draw(100, distinct, 1);
    const Hashes then = draw(500, distinct, 2);
    BottomRows<float> rows = learn(first);
    rows.expect(then);
    for (const std::uint64_t hash : then) rows.add(hash, row_of(hash));
    EXPECT_EQ(rows, learn(together(first, then)));
  }
}

TEST(BottomRows, ACountIsAsGoodAsRepetitions) {
  BottomRows<float> counted = empty();
  counted.add(5, row_of(5), 3);
  counted.add(9, row_of(9), 0);
  counted.add(5, row_of(5), 1);
  EXPECT_EQ(counted, learn({5, 5, 5, 5}));
  BottomRows<float> twice = learn({5, 5});
  twice += twice;
  EXPECT_EQ(twice, counted);
}

TEST(BottomRows, ForgetWhatWasLearned) {
  const Hashes ab = draw(60, 120, 3);
  const Hashes c = draw(60, 150, 4);
  const BottomRows<float> before = learn(ab);

  BottomRows<float> one_by_one = learn(together(ab, c));
  const std::uint64_t ceiling = one_by_one.ceiling();
  ASSERT_LT(ceiling, before.ceiling());
  for (const std::uint64_t hash : c) one_by_one.subtract(hash);
  EXPECT_EQ(one_by_one.ceiling(), ceiling);
  EXPECT_LT(one_by_one.size(), kCapacity);
  EXPECT_EQ(counts_below(one_by_one, ceiling), counts_below(before, ceiling));

  BottomRows<float> at_once = learn(together(ab, c));
  at_once -= learn(c);
  EXPECT_EQ(at_once, one_by_one);

  // What comes later has right counts too, and finds room.
  BottomRows<float> again = at_once;
  for (const std::uint64_t hash : c) again.add(hash, row_of(hash));
  EXPECT_EQ(again, learn(together(ab, c)));
}

TEST(BottomRows, ForgettingWhatIsAboveTheCeilingIsNothing) {
  Hashes hashes;
  for (std::uint64_t hash = 0; hash < 2 * kCapacity; ++hash) hashes.push_back(hash);
  BottomRows<float> rows = learn(hashes);
  rows.subtract(kCapacity + 5);
  rows.subtract(kCapacity);
  EXPECT_EQ(rows, learn(hashes));
}

TEST(BottomRows, UnmergingWhatKnowsLessLeavesWhatBothKnow) {
  BottomRows<float> rows = learn({1, 2, 3, 50});
  BottomRows<float> other(2, kCapacity);
  for (std::uint64_t hash = 0; hash <= kCapacity; ++hash) other.add(hash + 10, row_of(hash + 10));
  for (std::uint64_t hash = 0; hash < kCapacity; ++hash) other.subtract(hash + 10);
  ASSERT_EQ(other.size(), 0U);
  rows -= other;
  EXPECT_EQ(rows.ceiling(), 10 + kCapacity);
  EXPECT_EQ(counts_below(rows, rows.ceiling()), (Counts{{1, 1}, {2, 1}, {3, 1}}));
}

// There is room again, but not for rows of which earlier copies may have been dropped.
TEST(BottomRows, MergingAfterForgettingTakesOnlyWhatBothKnow) {
  Hashes hashes;
  for (std::uint64_t hash = 0; hash <= kCapacity; ++hash) hashes.push_back(hash);
  BottomRows<float> rows = learn(hashes);
  rows -= learn(Hashes(hashes.begin() + 1, hashes.end()));
  rows += learn({0, 5, kCapacity, kCapacity + 1});
  EXPECT_EQ(rows.ceiling(), kCapacity);
  EXPECT_EQ(counts_below(rows, BottomRows<float>::kNoCeiling), (Counts{{0, 2}, {5, 1}}));
}

TEST(BottomRows, RefuseToForgetWhatIsNotThere) {
  const BottomRows<float> before = learn({5, 5, 255});
  BottomRows<float> rows = before;
  EXPECT_EQ(complaint([&] { rows.subtract(5, 3); }),
            "not_found: a row is to be forgotten more often than it was learned");
  EXPECT_EQ(complaint([&] { rows.subtract(6); }), "not_found: a row that is to be forgotten was never learned");
  EXPECT_EQ(complaint([&] {
              rows -= learn({5, 255, 255});
            }),
            "not_found: a row is to be forgotten more often than it was learned");
  EXPECT_EQ(rows, before);
}

TEST(BottomRows, RefuseMoreCopiesThanTheyCanCount) {
  constexpr std::int64_t kMost = BottomRows<float>::kMostCopies;
  BottomRows<float> rows = learn({5, 6});
  EXPECT_EQ(complaint([&] { rows.add(6, row_of(6), kMost); }),
            "overflow: row 0000000000000006 is there 1 times and comes 281474976710656 times more, at most "
            "281474976710656 can be counted");
  EXPECT_EQ(complaint([&] { rows.add(7, row_of(7), kMost + 1); }),
            "overflow: row 0000000000000007 is there 0 times and comes 281474976710657 times more, at most "
            "281474976710656 can be counted");
  BottomRows<float> many = learn({5});
  many.add(6, row_of(6), kMost);
  EXPECT_EQ(complaint([&] { rows += many; }).substr(0, 8), "overflow");
  EXPECT_EQ(rows, learn({5, 6}));
}

TEST(BottomRows, RefuseToMergeWithAnotherShape) {
  BottomRows<float> rows(2, 20);
  EXPECT_EQ(complaint([&] { rows += BottomRows<float>(3, 20); }),
            "incompatible: one sample is of 20 rows of 2 columns, the other of 20 rows of 3 columns");
  EXPECT_EQ(complaint([&] { rows -= BottomRows<float>(2, 30); }),
            "incompatible: one sample is of 20 rows of 2 columns, the other of 30 rows of 2 columns");
}

TEST(BottomRows, BytesGoThereAndBack) {
  BottomRows<float> rows = learn(draw(500, 100, 6));
  rows.subtract(rows.begin()->first, rows.begin()->second.count);
  const std::vector<std::byte> bytes = bytes_of(rows);
  EXPECT_EQ(from(bytes), rows);
  EXPECT_EQ(bytes_of(from(bytes)), bytes);
  EXPECT_EQ(from(bytes_of(empty())), empty());

  BottomRows<double> doubles(1, 3);
  doubles.add(4, std::vector<double>{0.1}, 7);
  Writer writer;
  doubles.write(writer);
  Reader reader(writer.bytes());
  EXPECT_EQ(BottomRows<double>::read(reader, 1, 3), doubles);
  EXPECT_TRUE(reader.done());
}

TEST(BottomRows, NoticeEveryTruncation) {
  const std::vector<std::byte> whole = bytes_of(learn({1, 2, 3}));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(complaint([&] { from(cut); }).substr(0, 8), "corrupt:") << n;
  }
}

TEST(BottomRows, RefuseBytesThatAreNoState) {
  struct Row {
    std::uint64_t hash;
    std::int64_t count;
  };
  const auto read = [](std::uint64_t ceiling, const std::vector<Row>& rows) {
    Writer writer;
    writer.u64(ceiling);
    writer.u64(rows.size());
    for (const Row& row : rows) {
      writer.u64(row.hash);
      writer.i64(row.count);
      writer.f32(1.0F);
      writer.f32(2.0F);
    }
    Reader reader(writer.bytes());
    const std::string said = complaint([&] { BottomRows<float>::read(reader, 2, 3); });
    EXPECT_EQ(reader.position(), said == "no complaint" ? writer.bytes().size() : 0U);
    return said;
  };
  EXPECT_EQ(read(10, {{3, 1}, {9, 1}}), "no complaint");
  EXPECT_EQ(read(10, {{3, 1}, {3, 1}}), "corrupt: at byte 40: row 0000000000000003 is out of order");
  EXPECT_EQ(read(10, {{3, 1}, {2, 1}}), "corrupt: at byte 40: row 0000000000000002 is out of order");
  EXPECT_EQ(read(10, {{10, 1}}), "corrupt: at byte 16: row 000000000000000a is not below 000000000000000a");
  EXPECT_EQ(read(10, {{3, 0}}), "corrupt: at byte 16: row 0000000000000003 is there 0 times");
  EXPECT_EQ(read(10, {{3, -1}}), "corrupt: at byte 16: row 0000000000000003 is there -1 times");
  EXPECT_EQ(read(10, {{3, (std::int64_t{1} << 48) + 1}}),
            "corrupt: at byte 16: row 0000000000000003 is there 281474976710657 times");
  EXPECT_EQ(read(10, {{1, 1}, {2, 1}, {3, 1}, {4, 1}}), "corrupt: at byte 0: a sample of at most 3 rows claims 4");
}

TEST(BottomRows, AMissingNumberIsEqualToItself) {
  BottomRows<float> rows(1, 3);
  rows.add(1, std::vector<double>{std::nan("")});
  EXPECT_EQ(rows, BottomRows<float>(rows));
}

}  // namespace
}  // namespace expose

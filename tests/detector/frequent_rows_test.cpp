#include "expose/detector/frequent_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "expose/base/random.hpp"

namespace expose {
namespace {

constexpr std::size_t kCounters = 100;

using Hashes = std::vector<std::uint64_t>;

// What the counters estimate: the slow obvious count of everything.
std::map<std::uint64_t, std::int64_t> count(const Hashes& hashes) {
  std::map<std::uint64_t, std::int64_t> counts;
  for (const std::uint64_t hash : hashes) ++counts[hash];
  return counts;
}

FrequentCandidates find(const Hashes& hashes) {
  FrequentCandidates found(kCounters);
  for (const std::uint64_t hash : hashes) found.add(hash);
  return found;
}

// A long tail with frequent hashes in it: hash h comes about n / (10 (h + 1)) times for h < 40, all others once.
Hashes zipf(std::size_t n, std::uint64_t seed) {
  Random random(seed, 0);
  Hashes hashes;
  for (std::uint64_t h = 0; h < 40; ++h) hashes.insert(hashes.end(), n / (10 * (h + 1)), h << 32);
  while (hashes.size() < n) hashes.push_back(random.bits());
  for (std::size_t i = n; i > 1; --i) std::swap(hashes[i - 1], hashes[random.below(i)]);
  return hashes;
}

// Nothing that came so often is missing, and nothing is named that cannot have come so often.
void expect_right(const FrequentCandidates& found, const Hashes& hashes) {
  const auto n = static_cast<std::int64_t>(hashes.size());
  EXPECT_EQ(found.total(), n);
  EXPECT_LE(found.error() * static_cast<std::int64_t>(kCounters), 2 * n);
  const auto counts = count(hashes);
  for (const std::int64_t least : {found.error() + 1, n / 40, n / 20, n / 11}) {
    ASSERT_GT(least, found.error());
    const Hashes candidates = found.candidates(least);
    EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end()));
    for (const auto& [hash, times] : counts) {
      const bool named = std::binary_search(candidates.begin(), candidates.end(), hash);
      EXPECT_TRUE(named || times < least) << hash << " came " << times << " times";
      EXPECT_TRUE(!named || times + found.error() >= least) << hash << " came " << times << " times";
    }
  }
}

TEST(FrequentCandidates, CountExactlyWhileThereAreCounters) {
  Hashes hashes;
  for (std::uint64_t h = 0; h < kCounters; ++h) hashes.insert(hashes.end(), h + 1, h);
  const FrequentCandidates found = find(hashes);
  EXPECT_EQ(found.error(), 0);
  EXPECT_EQ(found.candidates(99), (Hashes{98, 99}));
  EXPECT_EQ(found.candidates(1).size(), kCounters);
  EXPECT_TRUE(found.candidates(101).empty());
  EXPECT_TRUE(FrequentCandidates(kCounters).candidates(1).empty());
}

TEST(FrequentCandidates, LoseNoMoreThanTheMedianAtATime) {
  Hashes hashes;
  for (std::uint64_t h = 0; h < kCounters; ++h) hashes.push_back(h);
  for (std::uint64_t h = 0; h < kCounters / 2 - 1; ++h) hashes.push_back(h);
  EXPECT_EQ(find(hashes).error(), 0);
  hashes.push_back(1000);
  EXPECT_EQ(find(hashes).error(), 1);
  EXPECT_EQ(find(hashes).candidates(2).size(), kCounters / 2);
}

TEST(FrequentCandidates, FindEveryFrequentHash) {
  for (const std::size_t n : {1000U, 20000U}) expect_right(find(zipf(n, n)), zipf(n, n));
}

// First all the frequent ones, then only new ones, which wear their counters down; and the other way round.
TEST(FrequentCandidates, FindThemInTheWorstOrders) {
  Hashes hashes;
  for (std::uint64_t h = 0; h < 30; ++h) hashes.insert(hashes.end(), 300, h);
  for (std::uint64_t h = 0; h < 6000; ++h) hashes.push_back(1000 + h);
  expect_right(find(hashes), hashes);
  std::reverse(hashes.begin(), hashes.end());
  expect_right(find(hashes), hashes);
}

// Hashes that all want the same place of the table.
TEST(FrequentCandidates, FindThemAmongHashesThatCollide) {
  Hashes hashes;
  for (std::uint64_t h = 0; h < 5000; ++h) {
    hashes.push_back(h << 40);
    if (h % 10 == 0) hashes.push_back(1);
  }
  expect_right(find(hashes), hashes);
}

TEST(FrequentCandidates, StayRightWhenMerged) {
  const Hashes hashes = zipf(20000, 5);
  for (const std::size_t parts : {2U, 7U, 100U}) {
    FrequentCandidates merged(kCounters);
    for (std::size_t part = 0; part < parts; ++part) {
      const auto at = [&](std::size_t i) { return hashes.begin() + static_cast<std::ptrdiff_t>(i * 20000 / parts); };
      merged += find(Hashes(at(part), at(part + 1)));
    }
    expect_right(merged, hashes);
  }
  FrequentCandidates twice = find(hashes);
  twice += twice;
  Hashes repeated = hashes;
  repeated.insert(repeated.end(), hashes.begin(), hashes.end());
  expect_right(twice, repeated);
}

TEST(FrequentCandidates, ACountIsAsGoodAsRepetitions) {
  const Hashes hashes = zipf(20000, 6);
  FrequentCandidates found(kCounters);
  for (const auto& [hash, times] : count(hashes)) {
    found.add(hash, times);
    found.add(hash, 0);
  }
  expect_right(found, hashes);

  FrequentCandidates nothing(kCounters);
  for (std::uint64_t h = 0; h < 10 * kCounters; ++h) nothing.add(h, 0);
  EXPECT_TRUE(nothing.candidates(1).empty());
  for (std::uint64_t h = 0; h < kCounters; ++h) nothing.add(h);
  EXPECT_EQ(nothing.error(), 0);
}

}  // namespace
}  // namespace expose

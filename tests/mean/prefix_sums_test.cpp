#include "expose/mean/prefix_sums.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "expose/base/hash.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

class PrefixSumsOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(PrefixSumsOf);

TEST_P(PrefixSumsOf, AnyIntervalIsTheMeanOfItsRows) {
  const Table table = normal_table(100, kD, 1);
  const std::vector<std::size_t> ends = {0, 1, 30, 30, 64, 100};  // rows learned at times -50, -40, ...
  MeanMap mean(map());
  PrefixSums prefixes;
  for (std::size_t m = 0; m < ends.size(); ++m) {
    if (m > 0) mean.add(table.rows().slice(ends[m - 1], ends[m]));
    prefixes.mark(-50 + 10 * static_cast<std::int64_t>(m), mean);
  }
  EXPECT_EQ(prefixes.times(), (std::vector<std::int64_t>{-50, -40, -30, -20, -10, 0}));
  for (std::size_t a = 0; a < ends.size(); ++a) {
    for (std::size_t b = a; b < ends.size(); ++b) {
      const auto time = [](std::size_t m) { return -50 + 10 * static_cast<std::int64_t>(m); };
      EXPECT_EQ(prefixes.between(time(a), time(b)), learned(map(), table.rows().slice(ends[a], ends[b])))
          << ends[a] << " to " << ends[b];
    }
  }
}

class PrefixSumsRefuse : public testing::Test {
 protected:
  PrefixSumsRefuse() {
    prefixes_.mark(10, learned(map_, table_.rows().slice(0, 5)));
    prefixes_.mark(20, learned(map_, table_.rows().slice(0, 9)));
  }

  const SharedMap map_ = make_map(recipe_of(MapKind::fourier, 2, 8));
  const Table table_ = normal_table(20, 2, 2);
  PrefixSums prefixes_;
};

TEST_F(PrefixSumsRefuse, TimesWithoutAMark) {
  EXPECT_EQ(complaint([&] { prefixes_.between(15, 20); }),
            "not_found: there is no mark at time 15; the nearest: 10 and 20");
  EXPECT_EQ(complaint([&] { prefixes_.between(10, 25); }), "not_found: there is no mark at time 25; the nearest: 20");
  EXPECT_EQ(complaint([&] { prefixes_.between(-3, 20); }), "not_found: there is no mark at time -3; the nearest: 10");
  EXPECT_EQ(complaint([&] { PrefixSums().between(1, 2); }), "not_found: there is no mark at time 1; there are none");
  EXPECT_EQ(complaint([&] { prefixes_.between(20, 10); }),
            "invalid_argument: an interval cannot go from time 20 back to time 10");
}

TEST_F(PrefixSumsRefuse, MarksOutOfOrder) {
  const MeanMap more = learned(map_, table_.rows());
  EXPECT_EQ(complaint([&] { prefixes_.mark(20, more); }),
            "invalid_argument: a mark at time 20 cannot come after the mark at time 20");
  EXPECT_EQ(complaint([&] { prefixes_.mark(19, more); }),
            "invalid_argument: a mark at time 19 cannot come after the mark at time 20");
  EXPECT_EQ(prefixes_.times(), (std::vector<std::int64_t>{10, 20}));
}

TEST_F(PrefixSumsRefuse, MeansThatDoNotGoOnFromTheLast) {
  const SharedMap other = make_map(recipe_of(MapKind::fourier, 2, 8, 99));
  EXPECT_EQ(complaint([&] { prefixes_.mark(30, MeanMap(other)); }),
            "incompatible: these belong to different maps: one has fingerprint " + hex(other->fingerprint()) +
                ", the other " + hex(map_->fingerprint()));
  EXPECT_EQ(complaint([&] { prefixes_.mark(30, learned(map_, table_.rows().slice(0, 8))); }),
            "invalid_argument: the mean at time 30 weighs 8, less than the 9 at the mark at time 20");
  EXPECT_EQ(complaint([&] { prefixes_.mark(30, learned(map_, table_.rows().slice(11, 20))); }).substr(0, 10),
            "not_found:");
  EXPECT_EQ(prefixes_.times(), (std::vector<std::int64_t>{10, 20}));
}

TEST_F(PrefixSumsRefuse, WhatWasDropped) {
  prefixes_.mark(30, learned(map_, table_.rows()));
  prefixes_.drop_before(20);
  EXPECT_EQ(prefixes_.times(), (std::vector<std::int64_t>{20, 30}));
  EXPECT_EQ(prefixes_.between(20, 30), learned(map_, table_.rows().slice(9, 20)));
  EXPECT_EQ(complaint([&] { prefixes_.between(10, 30); }), "not_found: there is no mark at time 10; the nearest: 20");
}

}  // namespace
}  // namespace expose

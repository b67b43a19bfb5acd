// detect of rows that come in blocks: what detect of the same rows in memory says, to the bit.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/detector/detector.hpp"
#include "tests/detector/sources.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Normal rows, some far out, every seventh one equal to one row; a bad row, a row without values, missing values.
Table mixed_table(std::size_t n, std::size_t d, std::uint64_t seed) {
  Table table = normal_table(n, d, seed);
  for (std::size_t i = 0; i < n; ++i) {
    float* const row = table.values.data() + i * d;
    if (i % 7 == 0) std::fill(row, row + d, 0.5F);
    if (i % 97 == 1) row[0] += 4.0F;
    if (i % 31 == 2) row[1] = kNaN;
    if (i % 401 == 3) row[1] = kInfinity;
    if (i % 503 == 4) std::fill(row, row + d, kNaN);
  }
  return table;
}

void expect_same(const Table& table, const Options& options, const std::vector<std::size_t>& blocks) {
  const Detection in_memory = detect(table.rows(), options);
  for (const std::size_t block : blocks) {
    Blocks source(table, block);
    const Detection in_blocks = detect(source, options);
    EXPECT_EQ(in_blocks.detector, in_memory.detector) << block;
    EXPECT_EQ(in_blocks.verdicts, in_memory.verdicts) << block;
    EXPECT_EQ(in_blocks.much_looks_anomalous, in_memory.much_looks_anomalous) << block;
  }
}

class DetectSourceOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(DetectSourceOf);

TEST_P(DetectSourceOf, BlocksAreNotSeen) {
  // Isolation cannot integrate: there rows with missing values are rejected.
  const Missing missing = GetParam() == MapKind::isolation ? Missing::reject : Missing::integrate;
  expect_same(mixed_table(3000, kD, 1), {.map = GetParam(), .r = kR, .missing = missing, .threads = 2},
              {1U, 17U, 1000U, 100000U});
}

TEST(DetectSource, FlagsByEveryThreshold) {
  const Table table = mixed_table(1200, 3, 2);
  for (const Options& options :
       {Options{.alpha = 0.05}, Options{.fdr = 0.2}, Options{.contamination = 0.03}, Options{.top = 7}}) {
    expect_same(table, options, {100U});
  }
}

TEST(DetectSource, FewAndFrequentRows) {
  expect_same(normal_table(5, 2, 3), {}, {2U});
  Table table = mixed_table(25000, 2, 4);
  expect_same(table, {.seed = 9}, {4096U});
}

TEST(DetectSource, ReadsThreeTimes) {
  const Table table = normal_table(1000, 2, 5);
  Blocks source(table, 250);
  std::vector<std::size_t> seen;
  detect(source, {}, [&](std::size_t rows) {
    seen.push_back(rows);
    return true;
  });
  EXPECT_EQ(source.ends, 3);  // sample, learn, judge
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_EQ(seen.back(), 3000U);
  EXPECT_EQ(complaint([&] { detect(source, {}, [](std::size_t rows) { return rows < 2500; }); }),
            "cancelled: stopped on request after 2500 rows");
}

TEST(DetectSource, RefusesWhatCannotBeReadAgain) {
  const Table table = normal_table(100, 2, 6);
  Blocks once = pipe(table, 10), twice(table, 10, 2);
  EXPECT_EQ(complaint([&] { detect(once); }),
            "invalid_argument: detect reads its rows more than once, and this source cannot be rewound; take rows in "
            "memory or a file, or fit a detector to the source and judge other rows with it");
  EXPECT_EQ(complaint([&] { detect(twice); }),
            "invalid_argument: the source could be rewound before it was read, but not after");
}

// One row more, or one less, with every pass.
class Changing : public Source {
 public:
  explicit Changing(std::ptrdiff_t step) : step_(step) {}
  Records next() override {
    if (done_) return {};
    done_ = true;
    return Records(table_.rows()).slice(0, static_cast<std::size_t>(50 + step_ * pass_));
  }
  bool rewind() override {
    ++pass_;
    done_ = false;
    return true;
  }

 private:
  Table table_ = normal_table(100, 2, 7);
  std::ptrdiff_t step_, pass_ = 0;
  bool done_ = false;
};

TEST(DetectSource, RefusesRowsThatComeAndGo) {
  Changing growing(1), shrinking(-1);
  EXPECT_EQ(complaint([&] { detect(growing); }),
            "invalid_argument: the source gave 52 rows to learn and then at least 53 to judge; it must give the same "
            "rows each time");
  EXPECT_EQ(complaint([&] { detect(shrinking); }),
            "invalid_argument: the source gave 48 rows to learn and then 47 to judge; it must give the same rows each "
            "time");
}

TEST(SetFlags, OfBlocksTogether) {
  const Table table = mixed_table(800, 3, 8);
  Detector detector = fit(table.rows(), {.top = 9});
  const std::vector<Verdict> together = detector.judge(table.rows());
  std::vector<Verdict> apart = detector.judge(table.rows().slice(0, 300));
  const std::vector<Verdict> rest = detector.judge(table.rows().slice(300, 800));
  apart.insert(apart.end(), rest.begin(), rest.end());
  EXPECT_NE(apart, together);  // nine of each
  set_flags(apart, detector.threshold());
  EXPECT_EQ(apart, together);
  detector.set_threshold(Alpha{0.2});
  set_flags(apart, Alpha{0.2});
  EXPECT_EQ(apart, detector.judge(table.rows()));
  EXPECT_EQ(complaint([&] { set_flags(apart, Alpha{2.0}); }).substr(0, 17), "invalid_argument:");
}

}  // namespace
}  // namespace expose

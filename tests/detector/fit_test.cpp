// fit and detect, of rows in memory and of rows that come in blocks: the same models from both, a progress that can say
// stop, and a plan of the first rows where there is no second look.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "expose/detector/detector.hpp"
#include "tests/detector/sources.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class FitOf : public EveryMap {
 protected:
  static Options options() { return {.map = GetParam(), .r = kR, .threads = 2}; }
};
EXPOSE_FOR_EVERY_MAP(FitOf);

TEST_P(FitOf, BlocksAreNotSeen) {
  Table table = normal_table(5000, kD, 1);
  table.values[17 * kD] = std::numeric_limits<float>::infinity();
  const Detector in_memory = fit(table.rows(), options());
  for (const std::size_t block : {1U, 17U, 4096U, 100000U}) {
    Blocks source(table, block);
    const Detector in_blocks = fit(source, options());
    EXPECT_EQ(in_blocks, in_memory) << block;
    EXPECT_EQ(in_blocks.plan().description(), in_memory.plan().description()) << block;
    EXPECT_EQ(source.ends, 2);  // sample, learn
  }
}

TEST_P(FitOf, AShortPipeIsAsGoodAsAFile) {
  const Table table = normal_table(900, kD, 2);
  const Detector in_memory = fit(table.rows(), options());
  for (const std::size_t block : {1U, 17U, 4096U}) {
    Blocks source = pipe(table, block);
    const Detector detector = fit(source, options());
    EXPECT_EQ(detector, in_memory) << block;
    EXPECT_FALSE(detector.plan().parts().first_rows_only);
  }
}

TEST_P(FitOf, APipeIsPlannedOnItsFirstRows) {
  const Table table = normal_table(12345, kD, 3);
  Detector expected(plan(table.rows().slice(0, 10000), options()), 1);
  expected.learn(table.rows());
  for (const std::size_t block : {17U, 4096U, 10000U, 100000U}) {
    Blocks source = pipe(table, block);
    const Detector detector = fit(source, options());
    EXPECT_EQ(detector, expected) << block;
    EXPECT_TRUE(detector.plan().parts().first_rows_only);
    EXPECT_EQ(detector.plan().parts().planned_on, 10000);
    EXPECT_NE(detector.plan().description().find(
                  "planned on    10000 rows, the first ones: the data could be read only once\n"),
              std::string::npos);
  }
}

TEST(Fit, TenThousandRowsOfAPipeAreAllOfThem) {
  const Table table = normal_table(10000, 2, 4);
  Blocks source = pipe(table, 1000);
  const Detector detector = fit(source);
  EXPECT_FALSE(detector.plan().parts().first_rows_only);
  EXPECT_EQ(detector, fit(table.rows()));
}

// Half of the rows are one value: to know its share takes a pass of its own.
TEST(Fit, FrequentRowsAreCountedInBlocksToo) {
  Table table = normal_table(30000, 2, 5);
  for (std::size_t i = 0; i < table.n(); i += 2) table.values[2 * i] = table.values[2 * i + 1] = 0.25F;
  const Detector in_memory = fit(table.rows());
  EXPECT_EQ(in_memory.plan().parts().frequent.size(), 1U);
  Blocks source(table, 4096);
  EXPECT_EQ(fit(source), in_memory);
}

// More rows than hashes are kept of, in blocks that are cut in another way in each pass.
class CutAnew : public Source {
 public:
  explicit CutAnew(const Table& table) : table_(table) {}
  Records next() override {
    const std::size_t begin = at_;
    at_ = std::min(at_ + size_, table_.n());
    return Records(table_.rows()).slice(begin, at_);
  }
  bool rewind() override {
    at_ = 0;
    size_ += 1000;
    return true;
  }

 private:
  const Table& table_;
  std::size_t at_ = 0, size_ = 3999;
};

TEST(Fit, ALongSourceIsHashedAgain) {
  Table table = normal_table((std::size_t{1} << 22) + 20000, 1, 21);
  for (std::size_t i = 0; i < table.n(); i += 9) table.values[i] = 0.5F;
  CutAnew source(table);
  const Options options{.r = 8, .trim = 0.0};
  EXPECT_EQ(fit(source, options), fit(table.rows(), options));
}

TEST(Fit, TakesItsThresholdFromTheOptions) {
  const Table table = normal_table(100, 2, 6);
  Blocks source(table, 10), once = pipe(table, 10);
  EXPECT_EQ(fit(source, {.top = 3}).threshold(), Threshold(Top{3}));
  EXPECT_EQ(fit(once, {.fdr = 0.1}).threshold(), Threshold(Fdr{0.1}));
}

TEST(Fit, NeedsRows) {
  const Table none{{}, 3};
  const std::string sentence = "invalid_argument: a plan needs at least 1 row, the source has none";
  Blocks source(none, 10), once = pipe(none, 10);
  EXPECT_EQ(complaint([&] { fit(source); }), sentence);
  EXPECT_EQ(complaint([&] { fit(once); }), sentence);
  const float infinity = std::numeric_limits<float>::infinity();
  const Table bad{{infinity, 1.0F, kNaN, kNaN}, 2};
  const std::string all_bad =
      "invalid_argument: a plan needs at least 1 row with a value and no infinite one, there is none";
  Blocks bad_source(bad, 1), bad_once = pipe(bad, 1);
  EXPECT_EQ(complaint([&] { fit(bad_source); }), all_bad);
  EXPECT_EQ(complaint([&] { fit(bad_once); }), all_bad);
  EXPECT_EQ(complaint([&] { fit(bad.rows()); }), all_bad);
}

TEST(Fit, OptionsAreCheckedBeforeTheSourceIsRead) {
  const Table table = normal_table(100, 2, 7);
  Blocks source(table, 10);
  EXPECT_EQ(complaint([&] { fit(source, {.r = 0}); }), "invalid_argument: r must be at least 1, it is 0");
  EXPECT_EQ(source.next().at(0, 0), static_cast<double>(table.values[0]));
}

// Two blocks, the second of another width.
class Uneven : public Source {
 public:
  explicit Uneven(bool rewinds) : rewinds_(rewinds) {}
  Records next() override {
    if (at_ == 2) return {};
    return at_++ == 0 ? Records(Rows(a_.values, 3)) : Records(Rows(b_.values, 2));
  }
  bool rewind() override {
    at_ = 0;
    return rewinds_;
  }

 private:
  Table a_ = normal_table(30, 3, 1), b_ = normal_table(30, 2, 2);
  bool rewinds_;
  int at_ = 0;
};

TEST(Fit, RefusesBlocksOfDifferentWidths) {
  Uneven source(true), once(false);
  EXPECT_EQ(complaint([&] { fit(source); }), "shape_mismatch: rows have 2 columns, the sample takes 3");
  EXPECT_EQ(complaint([&] { fit(once); }), "shape_mismatch: a block of rows has 2 columns, the first one has 3");
}

TEST(Fit, ASourceThatWillNotRewindAgainIsRefused) {
  const Table table = normal_table(100, 2, 8);
  Blocks source(table, 10, 1);
  EXPECT_EQ(complaint([&] { fit(source); }),
            "invalid_argument: the source could be rewound before it was read, but not after");
}

TEST(Fit, ProgressCountsTheRowsOfAllPasses) {
  const Table table = normal_table(1000, 2, 9);
  std::vector<std::size_t> seen;
  const Progress progress = [&](std::size_t rows) {
    seen.push_back(rows);
    return true;
  };
  Blocks source(table, 250);
  const Detector in_blocks = fit(source, {}, progress);
  EXPECT_EQ(seen, (std::vector<std::size_t>{250, 500, 750, 1000, 1250, 1500, 1750, 2000}));
  seen.clear();
  EXPECT_EQ(fit(table.rows(), {}, {}, progress), in_blocks);
  EXPECT_EQ(seen, (std::vector<std::size_t>{1000, 2000}));
  seen.clear();
  detect(table.rows(), {}, {}, progress);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_GE(seen.back(), 2000U);
}

// At whichever call: what the user had stays what it was.
TEST(Fit, ProgressCanSayStop) {
  const Table table = normal_table(1000, 2, 10), other = normal_table(100, 2, 11);
  Detector had = fit(other.rows());
  const Detector before = had;
  for (const std::size_t last : {250U, 1000U, 1250U, 2000U}) {
    Blocks source(table, 250);
    EXPECT_EQ(complaint([&] { had = fit(source, {}, [&](std::size_t rows) { return rows < last; }); }),
              "cancelled: stopped on request after " + std::to_string(last) + " rows");
    EXPECT_EQ(had, before);
  }
  Blocks once = pipe(table, 250);
  EXPECT_EQ(complaint([&] { had = fit(once, {}, [](std::size_t rows) { return rows < 500; }); }),
            "cancelled: stopped on request after 500 rows");
  EXPECT_EQ(complaint([&] { had = fit(table.rows(), {}, {}, [](std::size_t) { return false; }); }),
            "cancelled: stopped on request after 1000 rows");
  EXPECT_EQ(complaint([&] { detect(table.rows(), {}, {}, [](std::size_t rows) { return rows < 2000; }); }),
            "cancelled: stopped on request after 2000 rows");
  EXPECT_EQ(had, before);
}

// detect is fit and judge_fitted, nothing else.
TEST(Fit, DetectJudgesTheRowsItWasFittedOn) {
  const Table table = normal_table(500, 3, 12);
  const Detection detection = detect(table.rows(), {.top = 5});
  const Detector detector = fit(table.rows(), {.top = 5});
  EXPECT_EQ(detection.detector, detector);
  EXPECT_EQ(detection.verdicts, detector.judge_fitted(table.rows()));
}

}  // namespace
}  // namespace expose

// Missing values on the whole way of a row: the laws hold with them, and a complete table is none the wiser.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "expose/detector/detector.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/watcher.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Every seventh value is missing, and all of row 40.
Table gappy(std::size_t n, std::size_t d, std::uint64_t seed) {
  Table table = normal_table(n, d, seed);
  for (std::size_t i = seed; i < table.values.size(); i += 7) table.values[i] = kNone;
  for (std::size_t k = 0; k < d && n > 40; ++k) table.values[40 * d + k] = kNone;
  return table;
}

class MissingIn : public EveryMap {
 protected:
  static Options options(std::size_t threads = 2) { return {.map = GetParam(), .r = kR, .threads = threads}; }
};
EXPOSE_FOR_EVERY_MAP_THAT_INTEGRATES(MissingIn);

TEST_P(MissingIn, LearnMergeAndForgetAgree) {
  const Table a = gappy(700, kD, 1), b = gappy(500, kD, 2);
  Table both = a;
  both.values.insert(both.values.end(), b.values.begin(), b.values.end());
  const Plan made = plan(both.rows(), options());
  Detector whole(made, 1), one(made, 3), two(made, 2);
  const Learned learned = whole.learn(both.rows());
  EXPECT_EQ(learned.unknown, (std::vector<std::size_t>{40, 740}));
  EXPECT_TRUE(learned.rejected.empty());
  one.learn(a.rows());
  two.learn(b.rows());
  EXPECT_EQ(one + two, whole);
  Detector shuffled_one(made, 2);
  shuffled_one.learn(pick(both, shuffled(1200, 3)).rows());
  EXPECT_EQ(shuffled_one, whole);
  whole.forget(b.rows());
  EXPECT_EQ(whole.mean(), one.mean());
  EXPECT_EQ(whole.judge(a.rows()), one.judge(a.rows()));
}

TEST_P(MissingIn, FloatsAndDoublesThreadsAndWeightsAgree) {
  const Table table = gappy(600, kD, 1);
  const std::vector<double> values(table.values.begin(), table.values.end());
  const Detector floats = fit(table.rows(), options(1));
  EXPECT_EQ(fit(Records(values, kD), options(3)), floats);
  EXPECT_EQ(floats.judge(table.rows()), floats.judge(Records(values, kD)));
  Detector twice(floats.plan(), 2), weighted(floats.plan(), 2);
  twice.learn(table.rows());
  twice.learn(table.rows());
  weighted.learn(table.rows(), std::vector<double>(600, 2.0));
  EXPECT_EQ(weighted, twice);
  EXPECT_EQ(detect(table.rows(), options()).verdicts, floats.judge_fitted(table.rows()));
}

TEST_P(MissingIn, ComesBackFromAFile) {
  const Detector detector = fit(gappy(600, kD, 1).rows(), options());
  const Detector again = detector_from_bytes(to_bytes(detector), 1);
  EXPECT_EQ(again, detector);
  EXPECT_EQ(again.judge(gappy(100, kD, 3).rows()), detector.judge(gappy(100, kD, 3).rows()));
}

// What rows without gaps say does not depend on whether others may have some.
TEST_P(MissingIn, ACompleteTableHasTheSameBitsAsWithReject) {
  const Table table = normal_table(600, kD, 4);
  Options reject = options();
  reject.missing = Missing::reject;
  const Detector with = fit(table.rows(), options()), without = fit(table.rows(), reject);
  EXPECT_EQ(with.mean(), without.mean());
  EXPECT_EQ(with.judge(table.rows()), without.judge(table.rows()));
  EXPECT_EQ(with.judge_fitted(table.rows()), without.judge_fitted(table.rows()));
  EXPECT_NE(with.fingerprint(), without.fingerprint());
  for (const Verdict& verdict : without.judge(gappy(3, kD, 0).rows())) EXPECT_EQ(verdict.status, Status::rejected);
}

TEST_P(MissingIn, ErrorBarsOfZeroAreNone) {
  const Table table = gappy(300, kD, 1);
  const Detector detector = fit(table.rows(), options());
  const std::vector<double> none(table.values.size(), 0.0), some(table.values.size(), 0.5);
  EXPECT_EQ(detector.judge(table.rows(), Records(none, kD)), detector.judge(table.rows()));
  EXPECT_NE(detector.judge(table.rows(), Records(some, kD)), detector.judge(table.rows()));
}

// A far value with a wide error bar may well be a near one; with a narrow one it may not.
TEST(Missing, AWideErrorBarExcusesAFarValue) {
  const Detector detector = fit(normal_table(1000, 2, 1).rows());
  const std::vector<double> row = {6.0, 0.0}, wide = {6.0, 0.0}, narrow = {0.1, 0.0};
  const double far = detector.judge(Records(row, 2), Records(narrow, 2))[0].similarity;
  EXPECT_NEAR(far, detector.judge(Records(row, 2))[0].similarity, 0.01);
  EXPECT_GT(detector.judge(Records(row, 2), Records(wide, 2))[0].similarity, far + 0.02);
}

TEST(Missing, OtherValuesStillCount) {
  const Detector detector = fit(normal_table(1000, 3, 1).rows());
  const Table rows{{0.0F, kNone, 0.0F, 9.0F, kNone, 0.0F, kNone, kNone, kNone, 1.0F, HUGE_VALF, kNone}, 3};
  const std::vector<Verdict> verdicts = detector.judge(rows.rows());
  EXPECT_GT(verdicts[0].similarity, 10 * verdicts[1].similarity);
  EXPECT_GT(verdicts[0].p_value, 0.05);
  EXPECT_LT(verdicts[1].p_value, 0.01);
  EXPECT_EQ(verdicts[2], (Verdict{.status = Status::unknown}));
  EXPECT_EQ(verdicts[3], (Verdict{.status = Status::rejected}));
}

TEST(Missing, NeedsAMapThatIntegrates) {
  const Table table = gappy(100, 3, 1);
  EXPECT_EQ(complaint([&] { fit(table.rows(), {.kernel = Laplacian{}}); }),
            "invalid_argument: there are missing values, and a map of kind nystrom with the kernel laplacian cannot "
            "integrate them out; take map=fourier, or nystrom with kernel=gaussian, or missing=reject to leave such "
            "rows out");
  EXPECT_EQ(fit(table.rows(), {.kernel = Laplacian{}, .map = MapKind::fourier, .r = 64}).plan().missing(),
            Missing::integrate);
  const Detector complete = fit(normal_table(100, 3, 1).rows(), {.kernel = Laplacian{}});
  EXPECT_EQ(complete.plan().missing(), Missing::reject);
  EXPECT_EQ(complete.judge(table.rows())[2].status, Status::rejected);
}

// Windows forget rows with gaps exactly; a stream is the same one by one, in blocks, and from a file.
TEST(MissingInStreams, WindowsAndFadingTakeThem) {
  const Table table = gappy(500, 3, 1);
  for (const Memory& memory : {Memory(Window{100}), Memory(Fading{0.02}), Memory(Everything{})}) {
    const Options options{.r = 40, .memory = memory};
    Watcher blocks(options), single(options);
    const std::vector<Verdict> verdicts = blocks.watch(table.rows());
    EXPECT_EQ(verdicts[40], (Verdict{.status = Status::unknown}));
    for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(single.watch(table.rows()[i]), verdicts[i]);
    EXPECT_EQ(single, blocks);
    EXPECT_EQ(watcher_from_bytes(to_bytes(blocks)), blocks);
    EXPECT_EQ(blocks.rejected(), 0U);
    if (!std::holds_alternative<Window>(memory)) continue;
    Watcher last(blocks.plan());
    last.watch(table.rows().slice(400, 500));
    EXPECT_EQ(last.weight(), blocks.weight());
    blocks.forget(table.rows().slice(450, 460));
    EXPECT_EQ(blocks.weight(), 90.0);
    EXPECT_EQ(watcher_from_bytes(to_bytes(blocks)), blocks);
  }
}

}  // namespace
}  // namespace expose

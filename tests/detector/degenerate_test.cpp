// Tables that are hardly tables: a sensible verdict or a sentence, never NaN, never a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expose/detector/detector.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Numbers {
  std::vector<double> values;
  std::size_t d = 1;
  Records rows() const { return Records(values, d); }
  std::size_t n() const { return values.size() / d; }
};

Numbers normal_numbers(std::size_t n, std::size_t d, std::uint64_t seed) {
  const Table table = normal_table(n, d, seed);
  return {{table.values.begin(), table.values.end()}, d};
}

Numbers repeated(std::size_t n, const std::vector<double>& row) {
  Numbers table{{}, row.size()};
  for (std::size_t i = 0; i < n; ++i) table.values.insert(table.values.end(), row.begin(), row.end());
  return table;
}

void append(Numbers& table, const std::vector<double>& row) {
  table.values.insert(table.values.end(), row.begin(), row.end());
}

std::size_t least_similar(const std::vector<Verdict>& verdicts) {
  const auto least = std::ranges::min_element(verdicts, {}, [](const Verdict& verdict) {
    return verdict.status == Status::rejected ? kInfinity : verdict.similarity;
  });
  return static_cast<std::size_t>(least - verdicts.begin());
}

// All that must hold for any verdict of any table.
void expect_sensible(const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts) {
    EXPECT_TRUE(std::isfinite(verdict.similarity)) << verdict.similarity;
    EXPECT_TRUE(verdict.similarity > -1.1 && verdict.similarity < 1.1) << verdict.similarity;
    EXPECT_TRUE(verdict.p_value > 0 && verdict.p_value <= 1) << verdict.p_value;
    if (verdict.status != Status::ok) {
      EXPECT_EQ(verdict.p_value, 1.0);
      EXPECT_FALSE(verdict.anomalous);
    }
  }
}

// Fits, judges the table itself, new rows from very near to very far, and takes everything out again.
Detection survives(const Numbers& table, const Options& options) {
  Detection detection = detect(table.rows(), options);
  EXPECT_EQ(detection.verdicts.size(), table.n());
  expect_sensible(detection.verdicts);
  const Plan& made = detection.detector.plan();
  EXPECT_TRUE(std::isnormal(bandwidth(made.kernel())) && bandwidth(made.kernel()) > 0);
  expect_sensible(detection.detector.judge(table.rows()));
  Numbers fresh{{}, table.d};
  for (const double value : {0.0, 1e-300, -1.0, 1e10, -1e38, 1e39, 1.7e308, kNaN, kInfinity}) {
    for (std::size_t k = 0; k < table.d; ++k) fresh.values.push_back(value);
  }
  const std::vector<Verdict> verdicts = detection.detector.judge(fresh.rows());
  expect_sensible(verdicts);
  EXPECT_EQ(verdicts[7].status, made.missing() == Missing::integrate ? Status::unknown : Status::rejected);
  EXPECT_EQ(verdicts[8].status, Status::rejected);
  Detector emptied = detection.detector;
  emptied.forget(table.rows());
  EXPECT_EQ(emptied.weight(), 0.0);
  EXPECT_EQ(emptied.mean(), MeanMap(made.map()));
  expect_sensible(emptied.judge(table.rows()));
  Detector doubled = detection.detector + detection.detector;
  expect_sensible(doubled.judge(table.rows()));
  return detection;
}

class DegenerateOf : public EveryMap {
 protected:
  static Options options(Scale scale = Scale::robust) {
    return {.map = GetParam(), .r = 64, .scale = scale, .threads = 1};
  }
};
EXPOSE_FOR_EVERY_MAP(DegenerateOf);

TEST_P(DegenerateOf, AnyTableIsSurvivedInAnyScale) {
  std::vector<Numbers> tables = {
      {{5}, 1},                              // one number
      {{1, 2, 3}, 3},                        // one row
      {{7, 7, 7, 7}, 2},                     // two equal rows
      {{0, 0, 0, 0, 0, 0}, 2},               // zeros
      {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1},  // one column
      {{1e300, -1e300, 1e300, 5e299}, 1},    // huge
      {{1.7e308, -1.7e308, 1, 2}, 2},        // as huge as can be
      {{5e-324, 0, 1e-310, 2e-310}, 1},      // smaller than normal
      {{1, 1 + 1e-16, 1 + 3e-16, 1}, 1},     // rounding noise
      {{0.0, -0.0, 0.0, -0.0}, 1},           // zeros of two signs
      repeated(100, {1, 2, 3}),              // all constant
      repeated(30, {1e300, -1e300}),         // and huge
      normal_numbers(1, 2000, 1),            // 1 x 2000
      normal_numbers(2, 300, 2),             // 2 x 300
      normal_numbers(50, 500, 3),            // far more columns than rows
  };
  Numbers one_column_huge = normal_numbers(200, 3, 4);  // a column around 1e300
  for (std::size_t i = 0; i < 200; ++i) one_column_huge.values[3 * i + 1] *= 1e300;
  tables.push_back(one_column_huge);
  Numbers constant_huge = normal_numbers(200, 3, 5);  // a constant one
  for (std::size_t i = 0; i < 200; ++i) constant_huge.values[3 * i + 1] = 1e300;
  tables.push_back(constant_huge);
  Numbers duplicates{{}, 2};  // few values, each often
  for (int i = 0; i < 500; ++i) append(duplicates, {static_cast<double>(i % 3), static_cast<double>(i % 2)});
  tables.push_back(duplicates);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const Scale scale : {Scale::robust, Scale::zscore, Scale::none}) {
      SCOPED_TRACE("table " + std::to_string(t) + ", scale " + name(scale));
      const Detection detection = survives(tables[t], options(scale));
      const Status status = tables[t].n() < 20 ? Status::learning : Status::ok;
      EXPECT_EQ(detection.verdicts[0].status, status);
    }
  }
}

TEST_P(DegenerateOf, EqualRowsAreAllNormal) {
  for (const std::size_t n : {20U, 100U, 3000U}) {
    const Detection detection = survives(repeated(n, {3, 1, 4}), options());
    for (const Verdict& verdict : detection.verdicts) {
      ASSERT_FALSE(verdict.anomalous) << n;
      ASSERT_NEAR(verdict.similarity, 1.0, 1e-4) << n;
    }
    EXPECT_FALSE(detection.much_looks_anomalous);
    EXPECT_FALSE(detection.detector.judge(repeated(1, {3, 1, 4}).rows())[0].anomalous);
  }
}

TEST_P(DegenerateOf, TheOneRowThatDiffersIsTheLeastSimilar) {
  for (const std::size_t n : {20U, 200U, 3000U}) {
    Numbers table = repeated(n, {3, 1, 4});
    append(table, {3, 2, 4});
    const Detection detection = survives(table, options());
    EXPECT_EQ(least_similar(detection.verdicts), n);
    EXPECT_LT(detection.verdicts[n].p_value, detection.verdicts[0].p_value) << n;
    EXPECT_FALSE(detection.verdicts[0].anomalous) << n;
    EXPECT_TRUE(detection.verdicts[n].anomalous || n < 200) << n << ": p = " << detection.verdicts[n].p_value;
  }
}

// A model of equal rows has never seen a column vary, and yet knows a row that differs.
TEST_P(DegenerateOf, ANewRowThatDiffersFromAllEqualOnesIsAnomalous) {
  const Detector detector = fit(repeated(300, {3, 1, 4}).rows(), options());
  const std::vector<double> rows = {3, 1, 4, 3, 1.5, 4};
  const std::vector<Verdict> verdicts = detector.judge(Records(rows, 3));
  EXPECT_FALSE(verdicts[0].anomalous);
  EXPECT_TRUE(verdicts[1].anomalous) << verdicts[1].p_value;
}

// Random features see a far row with an error of about 1 / sqrt(2 r); only Nystrom sees that it is like nothing.
TEST_P(DegenerateOf, OneHugeOutlierIsFoundAndHurtsNobody) {
  for (const double huge : {1e6, 1e39, 1e300, -1.7e308}) {
    Numbers table = normal_numbers(500, 3, 6);
    table.values[3 * 77 + 1] = huge;
    const Detection detection = survives(table, {.map = GetParam()});
    EXPECT_LT(detection.verdicts[77].p_value, 0.05) << huge;
    EXPECT_LE(std::ranges::count_if(detection.verdicts, &Verdict::anomalous), 25) << huge;
    if (GetParam() != MapKind::nystrom) continue;
    EXPECT_EQ(least_similar(detection.verdicts), 77U) << huge;
    EXPECT_TRUE(detection.verdicts[77].anomalous) << huge;
  }
}

TEST_P(DegenerateOf, BadRowsAmongGoodOnesAreAsIfTheyWereNotThere) {
  const Numbers good = normal_numbers(100, 2, 7);
  Numbers mixed{{}, 2};
  std::vector<bool> bad;
  for (std::size_t i = 0; i < 100; ++i) {
    if (i % 3 == 0) append(mixed, {i % 2 == 0 ? kInfinity : -kInfinity, kNaN});
    if (i % 3 == 0) bad.push_back(true);
    append(mixed, {good.values[2 * i], good.values[2 * i + 1]});
    bad.push_back(false);
  }
  const Detection with = survives(mixed, options()), without = survives(good, options());
  EXPECT_EQ(with.detector, without.detector);
  std::size_t g = 0;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(with.verdicts[i], bad[i] ? Verdict{.status = Status::rejected} : without.verdicts[g]);
    g += bad[i] ? 0 : 1;
  }
}

TEST(Degenerate, ATableOfBadRowsIsASentence) {
  const std::string sentence =
      "invalid_argument: a plan needs at least 1 row with a value and no infinite one, there is none";
  EXPECT_EQ(complaint([] { detect(repeated(30, {1.0, kInfinity}).rows()); }), sentence);
  EXPECT_EQ(complaint([] { detect(Records()); }), sentence);
  // A fitted detector says it row by row.
  const Detector detector = fit(normal_numbers(30, 2, 1).rows());
  const Numbers bad = repeated(30, {1.0, kInfinity});
  for (const Verdict& verdict : detector.judge(bad.rows())) EXPECT_EQ(verdict, (Verdict{.status = Status::rejected}));
  for (const Verdict& verdict : detector.judge_fitted(bad.rows())) {
    EXPECT_EQ(verdict, (Verdict{.status = Status::rejected}));
  }
}

TEST(Degenerate, BothOfTwoClustersAreNormalAndWhatLiesBetweenIsNot) {
  const Table a = normal_table(1000, 2, 8), b = normal_table(1000, 2, 9, 12.0);
  Numbers table{{a.values.begin(), a.values.end()}, 2};
  table.values.insert(table.values.end(), b.values.begin(), b.values.end());
  append(table, {6, 6});
  append(table, {0, 12});
  const Detection detection = survives(table, {});
  EXPECT_TRUE(detection.verdicts[2000].anomalous);
  EXPECT_TRUE(detection.verdicts[2001].anomalous);
  for (const std::size_t begin : {0U, 1000U}) {
    const auto first = detection.verdicts.begin() + static_cast<std::ptrdiff_t>(begin);
    EXPECT_LE(std::count_if(first, first + 1000, [](const Verdict& verdict) { return verdict.anomalous; }), 40);
  }
  EXPECT_FALSE(detection.much_looks_anomalous);
}

TEST(Degenerate, WholeNumbersHaveManyTiesAndSensibleVerdicts) {
  Numbers table = normal_numbers(2000, 2, 10);
  for (double& value : table.values) value = std::floor(2 * value);
  append(table, {40, -40});
  const Detection detection = survives(table, {});
  EXPECT_EQ(least_similar(detection.verdicts), 2000U);
  EXPECT_TRUE(detection.verdicts[2000].anomalous);
  EXPECT_LE(std::ranges::count_if(detection.verdicts, &Verdict::anomalous), 60);
}

TEST(Degenerate, ManyColumnsAndFewRowsAreJudged) {
  Numbers table = normal_numbers(50, 500, 11);
  for (std::size_t k = 0; k < 500; ++k) table.values[500 * 20 + k] *= 5;
  const Detection detection = survives(table, {});
  EXPECT_EQ(least_similar(detection.verdicts), 20U);
  EXPECT_LE(std::ranges::count_if(detection.verdicts, &Verdict::anomalous), 5);
}

TEST(Degenerate, APaperPlanOfHugeNumbersIsSurvivedToo) {
  for (const double size : {1e-300, 1e-30, 1e30, 1e300}) {
    Numbers table = normal_numbers(100, 2, 12);
    for (double& value : table.values) value *= size;
    survives(table, {.preset = Preset::paper});
  }
}

}  // namespace
}  // namespace expose

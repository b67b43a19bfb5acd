#include "expose/calibrate/surprise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/calibrate/samples.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kHighest = -std::log(1e-8);

TEST(Surprise, IsTheNegativeLogarithm) {
  EXPECT_EQ(surprise(1.0), 0.0);
  for (const double eta : {1e-8, 3e-7, 0.001, 0.3, 0.9999, 1.02, 7.0, 54.5}) {
    EXPECT_NEAR(surprise(eta), -std::log(eta), 1e-14) << eta;
  }
}

TEST(Surprise, EndsWhereSimilaritySaysNoMore) {
  for (const double eta : {1e-8, 9.9e-9, 0.0, -0.02, -1e300}) EXPECT_NEAR(surprise(eta), kHighest, 1e-14) << eta;
  EXPECT_EQ(surprise(-0.02), surprise(1e-8));
  for (const double eta : {54.7, 1e6, 1e300}) EXPECT_EQ(surprise(eta), -4.0) << eta;
}

TEST(Surprise, RefusesWhatIsNoNumber) {
  EXPECT_EQ(complaint([] { surprise(kNaN); }), "not_finite: a similarity is nan, it must be finite");
  EXPECT_EQ(complaint([] { surprise(kInfinity); }), "not_finite: a similarity is inf, it must be finite");
  EXPECT_EQ(complaint([] { surprise(-kInfinity); }), "not_finite: a similarity is -inf, it must be finite");
}

TEST(SurpriseBins, CoverEverySurpriseAndNoMore) {
  EXPECT_EQ(SurpriseCounts::bin_of(surprise(1e9)), 0U);
  EXPECT_EQ(SurpriseCounts::bin_of(surprise(0.0)), SurpriseCounts::kBins - 1);
  EXPECT_EQ(SurpriseCounts::edge(0), -4.0);
  EXPECT_EQ(SurpriseCounts::edge(512), 0.0);
  EXPECT_EQ(SurpriseCounts::edge(513), 0.0078125);
}

// A bin holds its lower edge and not its upper one, to the last bit.
TEST(SurpriseBins, AreHalfOpen) {
  for (std::size_t bin = 0; bin < SurpriseCounts::kBins; ++bin) {
    const double lower = SurpriseCounts::edge(bin);
    const double upper = SurpriseCounts::edge(bin + 1);
    ASSERT_EQ(SurpriseCounts::bin_of(lower), bin);
    ASSERT_EQ(SurpriseCounts::bin_of(std::nextafter(upper, -kInfinity)), bin);
  }
}

TEST(SurpriseCounts, CountEachRowInItsBin) {
  const auto rows = similarities_of(5000, 1, [](Random& r) { return -5.0 + 25.0 * r.uniform(); });
  std::vector<std::int64_t> expected(SurpriseCounts::kBins);
  for (const double eta : rows) {
    const double s = std::max(-4.0, -std::log(std::max(eta, 1e-8)));
    ++expected.at(static_cast<std::size_t>((s + 4.0) * 128.0));
  }
  const SurpriseCounts counts = counts_of(rows);
  EXPECT_EQ(std::vector(counts.counts().begin(), counts.counts().end()), expected);
  EXPECT_EQ(counts.total(), 5000);
}

TEST(SurpriseCounts, HaveNoOrderAndMerge) {
  const auto rows = rows_with_outliers(3000, 100, 2);
  const SurpriseCounts all = counts_of(rows);
  EXPECT_EQ(counts_of(shuffled(rows, 3)), all);
  const SurpriseCounts a = counts_of(std::span(rows).first(700));
  const SurpriseCounts b = counts_of(std::span(rows).subspan(700));
  EXPECT_NE(a, all);
  EXPECT_EQ(a + b, all);
  EXPECT_EQ(b + a, all);
  EXPECT_EQ(all - b, a);
  EXPECT_EQ(all - all, SurpriseCounts());
}

TEST(SurpriseCounts, TakeRowsOutAsIfTheyHadNeverCome) {
  const auto rows = exponential_rows(1000, 4);
  SurpriseCounts counts = counts_of(rows);
  for (const double eta : std::span(rows).subspan(400)) counts.subtract(eta);
  EXPECT_EQ(counts, counts_of(std::span(rows).first(400)));
}

TEST(SurpriseCounts, WeighARowAsItsRepetitions) {
  SurpriseCounts weighted;
  weighted.add(0.3, 7);
  weighted.add(0.5, 0);
  SurpriseCounts repeated;
  for (int i = 0; i < 7; ++i) repeated.add(0.3);
  EXPECT_EQ(weighted, repeated);
  weighted.subtract(0.3, 5);
  EXPECT_EQ(weighted.total(), 2);
}

TEST(SurpriseCounts, SubtractThemselves) {
  SurpriseCounts counts = counts_of(exponential_rows(10, 5));
  const SurpriseCounts& same = counts;
  counts -= same;
  EXPECT_EQ(counts, SurpriseCounts());
}

TEST(SurpriseCounts, RefuseWhatCannotBeAndStayAsTheyWere) {
  SurpriseCounts counts;
  counts.add(1.0, 3);
  const SurpriseCounts before = counts;
  SurpriseCounts other;
  other.add(0.5);
  other.add(1.0, 4);
  SurpriseCounts full;
  full.add(0.1, SurpriseCounts::kMostRows - 2);
  EXPECT_EQ(complaint([&] { counts.add(kNaN); }), "not_finite: a similarity is nan, it must be finite");
  EXPECT_EQ(complaint([&] { counts.add(0.5, -1); }), "invalid_argument: a count of rows is -1, it must be at least 0");
  EXPECT_EQ(complaint([&] { counts.subtract(1.0, -2); }),
            "invalid_argument: a count of rows is -2, it must be at least 0");
  EXPECT_EQ(complaint([&] { counts.subtract(1.0, 4); }),
            "not_found: 4 rows with a surprise of 0 to 0.0078125 cannot be taken out, there are 3");
  EXPECT_EQ(complaint([&] { counts -= other; }),
            "not_found: 4 rows with a surprise of 0 to 0.0078125 cannot be taken out, there are 3");
  const char* too_many = "overflow: 3 rows are counted, 9007199254740990 more are above the limit of 9007199254740992";
  EXPECT_EQ(complaint([&] { counts.add(0.2, SurpriseCounts::kMostRows - 2); }), too_many);
  EXPECT_EQ(complaint([&] { counts += full; }), too_many);
  EXPECT_EQ(counts, before);
  counts.add(0.2, SurpriseCounts::kMostRows - 3);  // just as many as there may be
  EXPECT_EQ(counts.total(), SurpriseCounts::kMostRows);
}

TEST(SurpriseCounts, ComeBackFromTheirNumbers) {
  const SurpriseCounts counts = counts_of(rows_with_outliers(500, 20, 6));
  EXPECT_EQ(SurpriseCounts::from_counts(counts.counts()), counts);
}

TEST(SurpriseCounts, RefuseNumbersThatNoRowsLedTo) {
  std::vector<std::int64_t> numbers(7);
  EXPECT_EQ(complaint([&] { SurpriseCounts::from_counts(numbers); }),
            "corrupt: there are 7 counts of surprise, there must be 2870");
  numbers.assign(SurpriseCounts::kBins, 0);
  numbers[2] = -1;
  EXPECT_EQ(complaint([&] { SurpriseCounts::from_counts(numbers); }),
            "corrupt: count 3 of surprise is -1, it must be in 0 to 9007199254740992");
  numbers[2] = SurpriseCounts::kMostRows;
  numbers[5] = 1;
  EXPECT_EQ(complaint([&] { SurpriseCounts::from_counts(numbers); }),
            "corrupt: count 6 of surprise is 1, it must be in 0 to 0");
}

}  // namespace
}  // namespace expose

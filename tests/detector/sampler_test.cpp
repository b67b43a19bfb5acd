#include "expose/detector/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tests/support/complaint.hpp"
#include "tests/support/sampling.hpp"

namespace expose {
namespace {

using namespace sampling;

// How many rows start with this number.
std::size_t count_of(const Values& values, double first) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < rows_in(values); ++i) n += values[i * kD] == first ? 1 : 0;
  return n;
}

double share_of(const Values& values, double first) {
  return static_cast<double>(count_of(values, first)) / static_cast<double>(rows_in(values));
}

Values sorted(const Values& values) {
  std::vector<std::pair<double, double>> rows;
  for (std::size_t i = 0; i < rows_in(values); ++i) rows.emplace_back(values[2 * i], values[2 * i + 1]);
  std::sort(rows.begin(), rows.end());
  Values flat;
  for (const auto& [a, b] : rows) flat.insert(flat.end(), {a, b});
  return flat;
}

TEST(Sampler, KeepsEveryRowOfASmallTable) {
  const Values values = together(distinct(3000, 1), together(repeated(6999, 5.0), distinct(1, 2)));
  ASSERT_EQ(rows_in(values), kK);
  EXPECT_FALSE(first_pass(values).wants_second_pass());
  EXPECT_EQ(sorted(draw(values)), sorted(values));
  EXPECT_EQ(sorted(draw(distinct(kK, 3))), sorted(distinct(kK, 3)));
  EXPECT_EQ(draw(distinct(1, 3)), distinct(1, 3));
  EXPECT_TRUE(Sampler(kD, kSeed).sample().empty());
  EXPECT_FALSE(Sampler(kD, kSeed).wants_second_pass());
}

TEST(Sampler, DrawsDistinctRowsUniformly) {
  constexpr std::size_t kN = 50000;
  const Values values = distinct(kN, 4);
  EXPECT_FALSE(first_pass(values).wants_second_pass());
  const Values sample = draw(values);
  ASSERT_EQ(rows_in(sample), kK);
  std::set<double> firsts;
  double mean = 0;
  double mean_of_all = 0;
  for (std::size_t i = 0; i < kK; ++i) {
    firsts.insert(sample[i * kD]);
    mean += sample[i * kD] / kK;
  }
  for (std::size_t i = 0; i < kN; ++i) mean_of_all += values[i * kD] / kN;
  EXPECT_EQ(firsts.size(), kK);
  // Without replacement the standard error of 10,000 of 50,000 is sqrt(4/5) sigma / 100.
  EXPECT_NEAR(mean, mean_of_all, 4 * std::sqrt(0.8) / 100);
}

// Alone the smallest hashes miss such a value in most draws, so more than one seed is tried.
TEST(Sampler, AValueWithHalfOfTheRowsHasHalfOfTheSample) {
  const Values values = together(repeated(200000, 9.0), distinct(200000, 5));
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Values sample = draw(values, seed);
    EXPECT_EQ(rows_in(sample), kK);
    EXPECT_EQ(count_of(sample, 9.0), kK / 2) << seed;
  }
}

TEST(Sampler, HeavyValuesAndALongTailHaveTheirShares) {
  const Values values = heavy_and_tail(200000);
  const Values sample = draw(values);
  ASSERT_EQ(rows_in(sample), kK);
  for (std::size_t h = 0; h < 100; ++h) {
    const double value = 100.0 + static_cast<double>(h);
    EXPECT_NEAR(share_of(sample, value), share_of(values, value), 1.001 / kK) << h;
  }
}

// Of 100,000 rows ten are 1/10,000: rows that come ten times are there once, for certain. Rows that come nine times are
// candidates too where they come last, but not frequent.
TEST(Sampler, ARowIsFrequentFromOneTenThousandthOn) {
  Values values = distinct(99050, 16);
  for (int h = 0; h < 50; ++h) values = together(std::move(values), repeated(9, 100.0 + h));
  for (int h = 0; h < 50; ++h) values = together(std::move(values), repeated(10, 200.0 + h));
  ASSERT_EQ(rows_in(values), 100000U);
  const Values sample = draw(values);
  EXPECT_EQ(rows_in(sample), kK);
  for (int h = 0; h < 50; ++h) EXPECT_EQ(count_of(sample, 200.0 + h), 1U) << h;
  const Values first = Values(values.end() - 2 * 950, values.end());
  EXPECT_EQ(draw(together(first, Values(values.begin(), values.end() - 2 * 950))), sample);
}

TEST(Sampler, AFewValuesHaveTheirSharesWithoutASecondPass) {
  Random random(6, 0);
  Values values;
  for (std::size_t i = 0; i < 100000; ++i) {
    const auto value = static_cast<double>(random.below(random.below(50) + 1));
    values.insert(values.end(), {value, 1.0});
  }
  EXPECT_FALSE(first_pass(values).wants_second_pass());
  const Values sample = draw(values);
  ASSERT_EQ(rows_in(sample), kK);
  for (int v = 0; v < 50; ++v) EXPECT_NEAR(share_of(sample, v), share_of(values, v), 0.001) << v;
}

// Rows of the tail come 1, 2 or 3 times: among the distinct rows a third each, among the rows 1/6, 2/6, 3/6.
TEST(Sampler, StandsForRowsNotForDistinctValues) {
  Values values;
  for (std::size_t i = 0; i < 60000; ++i) {
    const std::size_t times = i % 3 + 1;
    for (std::size_t k = 0; k < times; ++k) {
      values.insert(values.end(), {static_cast<double>(times), static_cast<double>(i)});
    }
  }
  const Values sample = draw(values);
  ASSERT_EQ(rows_in(sample), kK);
  // 10,000 of the 60,000 distinct rows are known: a share is off by sqrt(1/3 * 2/3 / 10000) = 0.005.
  EXPECT_NEAR(share_of(sample, 1), 1.0 / 6, 0.015);
  EXPECT_NEAR(share_of(sample, 2), 2.0 / 6, 0.015);
  EXPECT_NEAR(share_of(sample, 3), 3.0 / 6, 0.015);
}

TEST(Sampler, RefusesWrongShapesAndCounts) {
  const Values values = distinct(3, 13);
  Sampler sampler(kD, kSeed);
  EXPECT_EQ(complaint([&] { sampler.add(Records(values, 3)); }),
            "shape_mismatch: rows have 3 columns, the sample takes 2");
  EXPECT_EQ(complaint([&] { sampler.recount(Records(values, 3)); }),
            "shape_mismatch: rows have 3 columns, the sample takes 2");
  const std::vector<std::int64_t> two = {1, 1};
  EXPECT_EQ(complaint([&] { sampler.add(records(values), two); }), "shape_mismatch: 2 counts come with 3 rows");
  const std::vector<std::int64_t> negative = {1, 1, -4};
  EXPECT_EQ(complaint([&] { sampler.add(records(values), negative); }),
            "invalid_argument: row 3 has the count -4, counts are 0 or more");
  const std::vector<std::int64_t> many = {1, Sampler::kMostRows - 1, 1};
  EXPECT_EQ(complaint([&] { sampler.add(records(values), many); }),
            "overflow: 281474976710656 rows and 1 more are more than a sample can stand for, 281474976710656");
  EXPECT_EQ(sampler.rows(), 0);
  EXPECT_TRUE(sampler.sample().empty());
  EXPECT_EQ(complaint([&] { sampler.add(Records()); }), "no complaint");
}

TEST(Sampler, CountsToTheEnd) {
  const Values values = {1, 1, 2, 2};
  const std::vector<std::int64_t> counts = {Sampler::kMostRows / 4, Sampler::kMostRows / 4 * 3};
  Sampler sampler(kD, kSeed);
  sampler.add(records(values), counts);
  EXPECT_DOUBLE_EQ(share_of(sampler.sample(), 1), 0.25);
  Sampler one(kD, kSeed);
  one.add(records(values).slice(0, 1));
  EXPECT_EQ(complaint([&] { sampler += one; }),
            "overflow: 281474976710656 rows and 1 more are more than a sample can stand for, 281474976710656");
}

TEST(Sampler, RefusesToMergeWithAnotherKind) {
  Sampler sampler(2, 7);
  EXPECT_EQ(complaint([&] { sampler += Sampler(3, 7); }),
            "incompatible: one sample has 2 columns and seed 7, the other 3 columns and seed 7");
  EXPECT_EQ(complaint([&] { sampler += Sampler(2, 8); }),
            "incompatible: one sample has 2 columns and seed 7, the other 2 columns and seed 8");
}

TEST(Sampler, TheSecondPassIsOverTheRowsOfTheFirst) {
  const Values values = together(repeated(20000, 8.0), distinct(20000, 14));
  Sampler sampler = first_pass(values);
  const Sampler before = sampler;
  ASSERT_TRUE(before.wants_second_pass());
  EXPECT_EQ(complaint([&] { sampler.recount(records(together(values, repeated(1, 8.0)))); }),
            "shape_mismatch: the second pass has seen 0 rows and gets 40001 more, the first has seen 40000");
  EXPECT_EQ(sampler.sample(), before.sample());  // it has not begun
  sampler.recount(records(values).slice(0, 39999));
  EXPECT_EQ(complaint([&] { sampler.sample(); }),
            "shape_mismatch: the second pass has seen 39999 rows, the first 40000");
  EXPECT_EQ(complaint([&] { sampler.add(records(values)); }),
            "invalid_argument: rows cannot be added after the second pass has begun");
  EXPECT_EQ(complaint([&] { sampler += before; }),
            "invalid_argument: rows cannot be added after the second pass has begun");
  EXPECT_EQ(complaint([&] { Sampler(before) += sampler; }),
            "invalid_argument: rows cannot be added after the second pass has begun");
  EXPECT_EQ(complaint([&] { sampler.merge_recount(sampler); }),
            "shape_mismatch: the second pass has seen 39999 rows and gets 39999 more, the first has seen 40000");
  sampler.recount(records(values).slice(39999, 40000));
  EXPECT_EQ(sampler.sample(), draw(values));
}

TEST(Sampler, SecondPassesMergeOnlyAfterTheSameFirst) {
  const auto begun = [](const Values& values) {
    Sampler sampler = first_pass(values);
    sampler.recount(records(values).slice(0, 10));
    return sampler;
  };
  Sampler sampler = begun(together(repeated(20000, 8.0), distinct(20000, 14)));
  EXPECT_EQ(complaint([&] { sampler.merge_recount(begun(distinct(40000, 15))); }),
            "incompatible: two second passes do not follow the same first pass: one looks for 1 of 40000 rows, the "
            "other for 0 of 40000");
  sampler = begun(distinct(20000, 14));
  EXPECT_EQ(complaint([&] { sampler.merge_recount(begun(distinct(30000, 15))); }),
            "incompatible: two second passes do not follow the same first pass: one looks for 0 of 20000 rows, the "
            "other for 0 of 30000");
}

}  // namespace
}  // namespace expose

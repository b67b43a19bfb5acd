// Law 3: the sample depends on the data and the seed and on nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/support/sampling.hpp"

namespace expose {
namespace {

using namespace sampling;

TEST(SamplerLaws, WhoeverCannotReadTwiceStillGetsAnOrderFreeSample) {
  const Values values = together(repeated(200000, 9.0), distinct(200000, 5));
  const Sampler sampler = first_pass(values);
  ASSERT_TRUE(sampler.wants_second_pass());
  const Values sample = sampler.sample();
  EXPECT_EQ(rows_in(sample), kK);
  EXPECT_EQ(std::count(sample.begin(), sample.end(), 9.0), 0);  // what the second pass is for
  EXPECT_EQ(first_pass(shuffled(values, 1)).sample(), sample);
}

TEST(SamplerLaws, IsFreeOfOrder) {
  for (const Values& values : {distinct(25000, 8), heavy_and_tail(60000)}) {
    const Values whole = draw(values);
    for (const std::uint64_t seed : {1U, 2U, 3U}) EXPECT_EQ(draw(shuffled(values, seed)), whole);
    Values backwards(values.rbegin(), values.rend());
    for (std::size_t i = 0; i < backwards.size(); i += 2) std::swap(backwards[i], backwards[i + 1]);
    EXPECT_EQ(draw(backwards), whole);
  }
}

// A cluster: every part is read twice, the second time with what all parts found in the first.
TEST(SamplerLaws, IsFreeOfPartitionAndMergeOrder) {
  const Values values = heavy_and_tail(60000);
  const Values whole = draw(values);
  const std::vector<std::vector<std::size_t>> cuts = {
      {0, 1, 60000}, {0, 20000, 20000, 45000, 60000}, {0, 30000, 60000}};
  for (const std::vector<std::size_t>& cut : cuts) {
    std::vector<Records> parts;
    for (std::size_t p = 0; p + 1 < cut.size(); ++p) parts.push_back(records(values).slice(cut[p], cut[p + 1]));
    for (const bool backwards : {false, true}) {
      if (backwards) std::reverse(parts.begin(), parts.end());
      Sampler merged(kD, kSeed);
      for (const Records& part : parts) {
        Sampler sampler(kD, kSeed);
        sampler.add(part);
        merged += sampler;
      }
      ASSERT_EQ(merged.rows(), 60000);
      ASSERT_TRUE(merged.wants_second_pass());
      Sampler answer = merged;
      for (const Records& part : parts) {
        Sampler worker = merged;
        worker.recount(part);
        answer.merge_recount(worker);
      }
      answer.merge_recount(merged);  // a worker without a part
      EXPECT_EQ(answer.sample(), whole);
    }
  }
}

TEST(SamplerLaws, BlocksAreNotSeen) {
  const Values values = heavy_and_tail(60000);
  Sampler sampler(kD, kSeed);
  for (std::size_t i = 0; i < 60000; i += 1000) sampler.add(records(values).slice(i, i + 1000));
  for (std::size_t i = 0; i < 60000; i += 500) sampler.recount(records(values).slice(i, i + 500));
  EXPECT_EQ(sampler.sample(), draw(values));
}

TEST(SamplerLaws, ACountIsAsGoodAsRepetitions) {
  const Values values = distinct(20000, 9);
  std::vector<std::int64_t> counts(20000);
  Values written_out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = i % 5000 == 0 ? 3000 : static_cast<std::int64_t>(i % 3);
    for (std::int64_t k = 0; k < counts[i]; ++k) {
      written_out.insert(written_out.end(), {values[2 * i], values[2 * i + 1]});
    }
  }
  Sampler sampler(kD, kSeed);
  sampler.add(records(values), counts);
  EXPECT_EQ(sampler.rows(), static_cast<std::int64_t>(rows_in(written_out)));
  ASSERT_TRUE(sampler.wants_second_pass());
  sampler.recount(records(values), counts);
  EXPECT_EQ(sampler.sample(), draw(written_out));
}

TEST(SamplerLaws, AnotherSeedIsAnotherSample) {
  const Values values = distinct(20000, 10);
  EXPECT_EQ(draw(values, 1), draw(values, 1));
  EXPECT_NE(draw(values, 1), draw(values, 2));
}

TEST(SamplerLaws, FloatAndDoubleAndTheSignOfZeroAreNotSeen) {
  std::vector<float> floats;
  for (const double value : distinct(12000, 12)) floats.push_back(static_cast<float>(value));
  for (std::size_t i = 0; i < 12000; ++i) floats[2 * i + 1] = i % 2 == 0 ? 0.0F : -0.0F;
  Values doubles(floats.begin(), floats.end());
  for (double& value : doubles) value = value == 0 ? -value : value;
  Sampler sampler(kD, kSeed);
  sampler.add(Rows(floats, kD));
  EXPECT_EQ(sampler.sample(), draw(doubles));
  for (const double value : sampler.sample()) EXPECT_FALSE(value == 0 && std::signbit(value));
}

}  // namespace
}  // namespace expose

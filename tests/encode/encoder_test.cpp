#include "expose/encode/encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "expose/scale/scaler.hpp"
#include "tests/encode/blocks.hpp"

namespace expose {
namespace {

using Values = std::vector<double>;

const std::vector<std::string> kHeader = {"country", "when"};

Columns columns(bool open = false) {
  return Columns({{.name = "country",
                   .role = Role::category,
                   .levels = {"DE", "FR"},
                   .rare = open ? std::vector<std::string>{} : std::vector<std::string>{"SE"},
                   .open = open},
                  {.name = "when", .role = Role::time}});
}

TableBlock encoded(const std::vector<std::vector<std::string>>& rows, bool open = false) {
  const Encoder encoder(columns(open), kHeader);
  TableBlock block = block_of(rows, encoder.layout());
  encoder.encode(block);
  return block;
}

Values country(const TableBlock& block, std::size_t i) { return {block.numbers(i), block.numbers(i) + 3}; }

TEST(Encoder, ACategoryBecomesIndicators) {
  const TableBlock block = encoded({{"DE", ""}, {"FR", ""}, {"SE", ""}, {"XX", ""}});
  EXPECT_EQ(country(block, 0), (Values{1, 0, 0}));
  EXPECT_EQ(country(block, 1), (Values{0, 1, 0}));
  EXPECT_EQ(country(block, 2), (Values{0, 0, 1}));
  EXPECT_EQ(country(block, 3), (Values{-1, -1, -1})) << "never seen";
  EXPECT_EQ(country(encoded({{"XX", ""}}, true), 0), (Values{0, 0, 1})) << "one more rare value";
}

TEST(Encoder, MissingIsNaN) {
  const TableBlock block = encoded({{"NA", "?"}, {"", ""}});
  for (std::size_t k = 0; k < 7; ++k)
    EXPECT_TRUE(std::isnan(block.numbers(0)[k]) && std::isnan(block.numbers(1)[k])) << k;
  EXPECT_TRUE(block.bad().empty());
}

// Monday noon: half a day is over, and a fourteenth of the week.
TEST(Encoder, ATimeBecomesAngles) {
  const TableBlock block = encoded({{"DE", "2026-11-16 12:00"}});
  EXPECT_EQ(block.numbers(0)[3], -1.0);
  EXPECT_EQ(block.numbers(0)[4], 0.0);
  EXPECT_NEAR(block.numbers(0)[5], std::cos(2 * std::numbers::pi / 14), 1e-15);
  EXPECT_NEAR(block.numbers(0)[6], std::sin(2 * std::numbers::pi / 14), 1e-15);
}

TEST(Encoder, WhatIsNoTimeIsABadRow) {
  const TableBlock block = encoded({{"DE", "2026-11-16"}, {"DE", "noon"}, {"FR", "2026-11-16"}});
  ASSERT_EQ(block.bad().size(), 1U);
  EXPECT_EQ(block.bad()[0], (TableBlock::Bad{1, "column 'when': 'noon' is no time"}));
  EXPECT_TRUE(block.is_bad(1));
  EXPECT_FALSE(block.is_bad(2));
  for (std::size_t k = 0; k < 7; ++k) EXPECT_TRUE(std::isinf(block.numbers(1)[k]));
  EXPECT_EQ(country(block, 2), (Values{0, 1, 0})) << "the row behind a bad one is whole";
}

// The promise of Column: whatever the shares of the levels, a value that was never seen is farther from every level, in
// scaled space, than any two levels are from each other.
TEST(Encoder, ANewValueIsFarFromAllLevels) {
  for (const auto& shares :
       std::vector<std::vector<int>>{{50, 50}, {98, 2}, {60, 30, 10}, {25, 25, 25, 25}, {90, 5, 3, 2}}) {
    for (const Scale scale : {Scale::robust, Scale::zscore, Scale::none}) {
      const std::size_t d = shares.size();
      Values sample;
      for (std::size_t level = 0; level < d; ++level) {
        for (int i = 0; i < shares[level]; ++i) {
          for (std::size_t k = 0; k < d; ++k) sample.push_back(k == level ? 1 : 0);
        }
      }
      Values rows((d + 1) * d, -1.0);  // each level, and the new value
      for (std::size_t level = 0; level < d; ++level) {
        for (std::size_t k = 0; k < d; ++k) rows[level * d + k] = k == level ? 1 : 0;
      }
      const Scaler scaler = Scaler::fit(scale, Records(sample, d));
      std::vector<float> scaled((d + 1) * d);
      scaler.apply(Records(rows, d), scaled);
      const auto distance = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t k = 0; k < d; ++k) sum += std::pow(scaled[a * d + k] - scaled[b * d + k], 2);
        return std::sqrt(sum);
      };
      double between_levels = 0, from_new = std::numeric_limits<double>::infinity();
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < a; ++b) between_levels = std::max(between_levels, distance(a, b));
        from_new = std::min(from_new, distance(a, d));
      }
      EXPECT_GT(from_new, between_levels) << name(scale) << " " << d;
    }
  }
}

}  // namespace
}  // namespace expose

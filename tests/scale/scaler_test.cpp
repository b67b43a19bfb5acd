#include "expose/scale/scaler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/targets.hpp"

namespace expose {
namespace {

constexpr Scale kScales[] = {Scale::robust, Scale::zscore, Scale::none};

// Columns of all sorts: normal, skewed around 1e6, an indicator, a constant, small integers, tiny heavy tails.
Table mixed_table(std::size_t n, std::uint64_t seed) {
  Random random(seed, 0);
  Table table{{}, 6};
  for (std::size_t i = 0; i < n; ++i) {
    const double e = random.normal(), f = random.normal();
    for (const double value : {e, 1e6 + 1e3 * f * f, i % 9 == 0 ? 1.0 : 0.0, 7.0, static_cast<double>(random.below(12)),
                               1e-20 * random.cauchy()}) {
      table.values.push_back(static_cast<float>(value));
    }
  }
  return table;
}

std::vector<float> applied(const Scaler& scaler, Records rows) {
  std::vector<float> out(rows.n() * scaler.d());
  scaler.apply(rows, out);
  return out;
}

// ---- oracle: the formulas in long double, with the library's asinh --------------------------------------------------

struct Slow {
  long double centre, spread;
};

long double slow_median(std::vector<long double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

Slow slow_fit(Scale kind, Records sample, std::size_t k) {
  std::vector<long double> values, distances;
  for (std::size_t i = 0; i < sample.n(); ++i) values.push_back(sample.at(i, k));
  const long double m = slow_median(values), n = static_cast<long double>(sample.n());
  if (kind == Scale::none) return {m, 1};
  long double mean = 0, square = 0;
  for (const long double x : values) mean += x / n;
  for (const long double x : values) square += (x - mean) * (x - mean) / n;
  if (kind == Scale::zscore) return {mean, std::sqrt(square)};
  for (const long double x : values) distances.push_back(std::abs(x - m));
  return {m, std::max(1.4826L * slow_median(distances), std::sqrt(square) / 4)};
}

TEST(Scaler, IsTheFormula) {
  for (const std::size_t n : {40U, 41U, 300U}) {
    const Table table = mixed_table(n, 5);
    const Records rows = table.rows();
    for (const Scale kind : kScales) {
      const Scaler scaler = Scaler::fit(kind, rows);
      EXPECT_EQ(scaler.kind(), kind);
      EXPECT_EQ(scaler.inputs(), 6U);
      ASSERT_EQ(scaler.kept(), (std::vector<std::uint32_t>{0, 1, 2, 4, 5}));
      const std::vector<float> out = applied(scaler, rows);
      for (std::size_t k = 0; k < scaler.d(); ++k) {
        const Slow slow = slow_fit(kind, rows, scaler.kept()[k]);
        EXPECT_NEAR(scaler.spread()[k] / static_cast<double>(slow.spread), 1, 1e-12);
        EXPECT_NEAR((scaler.centre()[k] - static_cast<double>(slow.centre)) / scaler.spread()[k], 0, 1e-12);
        for (std::size_t i = 0; i < n; ++i) {
          const long double z = (rows.at(i, scaler.kept()[k]) - slow.centre) / slow.spread;
          const auto expected = static_cast<double>(kind == Scale::robust ? std::asinh(z) : z);
          ASSERT_NEAR(out[i * scaler.d() + k], expected, 3e-7 * std::abs(expected) + 1e-11) << name(kind);
        }
      }
    }
  }
}

TEST(Scaler, MedianOfAnEvenCountLiesHalfway) {
  const std::vector<double> sample = {9, 2, 4, 1};  // median 3, distances 1 1 2 6, sd sqrt(9.5)
  const Scaler scaler = Scaler::fit(Scale::robust, Records(sample, 1));
  EXPECT_EQ(scaler.centre()[0], 3.0);
  EXPECT_EQ(scaler.spread()[0], 1.4826 * 1.5);
}

// ---- laws -----------------------------------------------------------------------------------------------------------

TEST(ScalerLaw, OrderOfTheSampleChangesNoBit) {
  for (const std::size_t n : {100U, 101U}) {
    const Table table = mixed_table(n, 7);
    for (const Scale kind : kScales) {
      const Scaler scaler = Scaler::fit(kind, table.rows());
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Table other = pick(table, shuffled(n, seed));
        EXPECT_EQ(Scaler::fit(kind, other.rows()).state(), scaler.state()) << name(kind);
      }
    }
  }
}

TEST(ScalerLaw, NegativeZeroIsZero) {
  const std::vector<double> a = {-0.0, 0.0, 1.0}, b = {0.0, -0.0, 1.0};
  for (const Scale kind : {Scale::robust, Scale::none}) {
    EXPECT_FALSE(std::signbit(Scaler::fit(kind, Records(a, 1)).centre()[0]));
    EXPECT_FALSE(std::signbit(Scaler::fit(kind, Records(b, 1)).centre()[0]));
  }
  const std::vector<double> zeros = {-0.0, 0.0};
  EXPECT_FALSE(std::signbit(Scaler::fit(Scale::none, Records(zeros, 1)).centre()[0]));
}

TEST(ScalerLaw, FloatAndDoubleGiveTheSameBits) {
  const Table table = mixed_table(1000, 9);
  const std::vector<double> doubles(table.values.begin(), table.values.end());
  for (const Scale kind : kScales) {
    const Scaler scaler = Scaler::fit(kind, table.rows());
    EXPECT_EQ(Scaler::fit(kind, Records(doubles, table.d)), scaler);
    EXPECT_EQ(applied(scaler, Records(doubles, table.d)), applied(scaler, table.rows()));
  }
}

TEST(ScalerLaw, ARowAloneIsTheRowInItsBlock) {
  const Table table = mixed_table(1000, 11);  // 5 columns stay: a block is 819 rows
  // With and without a column that drops out; the second view has gaps between its rows.
  for (const Rows rows : {table.rows(), Rows(table.values.data(), table.n(), 3, 6)}) {
    for (const Scale kind : kScales) {
      const Scaler scaler = Scaler::fit(kind, rows);
      std::vector<float> one_by_one;
      for (std::size_t i = 0; i < rows.n(); ++i) {
        const std::vector<float> row = applied(scaler, rows.slice(i, i + 1));
        one_by_one.insert(one_by_one.end(), row.begin(), row.end());
      }
      EXPECT_EQ(applied(scaler, rows), one_by_one) << name(kind);
    }
  }
}

TEST(ScalerLaw, EveryTargetGivesTheSameBits) {
  const Table table = mixed_table(300, 13);
  const Scaler scaler = Scaler::fit(Scale::robust, table.rows());
  const std::vector<float> expected = applied(scaler, table.rows());
  on_every_target([&](const std::string& target) { EXPECT_EQ(applied(scaler, table.rows()), expected) << target; });
}

TEST(ScalerLaw, StateGoesThereAndBack) {
  const Table table = mixed_table(50, 15), other = mixed_table(50, 16);
  for (const Scale kind : kScales) {
    const Scaler scaler = Scaler::fit(kind, table.rows());
    EXPECT_EQ(Scaler::from_state(scaler.state()), scaler);
    EXPECT_FALSE(Scaler::fit(kind, other.rows()) == scaler);
  }
}

// ---- refusals -------------------------------------------------------------------------------------------------------

TEST(Scale, NamesGoThereAndBack) {
  for (const Scale kind : kScales) EXPECT_EQ(scale_named(name(kind)), kind);
  EXPECT_EQ(complaint([] { scale_named("minmax"); }),
            "invalid_argument: there is no scale 'minmax'; it may be robust, zscore or none");
}

TEST(Scaler, RefusesBadSamples) {
  EXPECT_EQ(complaint([] { Scaler::fit(Scale::robust, Records()); }),
            "invalid_argument: a scaler needs a sample of at least 1 row, it has 0");
  const std::pair<double, const char*> bad[] = {{std::numeric_limits<double>::infinity(), "inf"},
                                                {-std::numeric_limits<double>::infinity(), "-inf"}};
  for (const auto& [value, text] : bad) {
    const std::vector<double> sample = {1, 2, 3, 4, 5, value};
    for (const Scale kind : kScales) {
      EXPECT_EQ(complaint([&] { Scaler::fit(kind, Records(sample, 3)); }),
                std::string("not_finite: row 2, column 3 is ") + text);
    }
  }
}

TEST(Scaler, RefusesWrongShapes) {
  const Table table = mixed_table(20, 17);
  const Scaler scaler = Scaler::fit(Scale::robust, table.rows());
  std::vector<float> out(99, 42.0F);
  EXPECT_EQ(complaint([&] { scaler.apply(Rows(table.values, 5), out); }),
            "shape_mismatch: rows have 5 columns, the scaler takes 6");
  EXPECT_EQ(complaint([&] { scaler.apply(table.rows(), out); }),
            "shape_mismatch: the output has room for 99 numbers, 100 come");
  EXPECT_EQ(complaint([&] { scaler.apply(Records(), out); }), "no complaint");
  EXPECT_EQ(out, std::vector<float>(99, 42.0F));
}

TEST(Scaler, RefusesCorruptStates) {
  const Scaler::State good{Scale::zscore, 5, {1, 4}, {0.5, -2.0}, {1.0, 3.0}};
  const auto sentence = [&](auto change) {
    Scaler::State state = good;
    change(state);
    return complaint([&] { Scaler::from_state(state); });
  };
  EXPECT_EQ(sentence([](auto&) {}), "no complaint");
  EXPECT_EQ(sentence([](auto& s) { s.kind = static_cast<Scale>(3); }),
            "corrupt: a scaler is of kind 0, 1 or 2, this one of kind 3");
  EXPECT_EQ(sentence([](auto& s) { s.kept = {}; }), "corrupt: a scaler keeps 0 of 5 columns");
  EXPECT_EQ(sentence([](auto& s) { s.centre.pop_back(); }),
            "corrupt: a scaler keeps 2 columns, but has 1 centres and 2 spreads");
  EXPECT_EQ(sentence([](auto& s) { s.spread.push_back(1.0); }),
            "corrupt: a scaler keeps 2 columns, but has 2 centres and 3 spreads");
  EXPECT_EQ(sentence([](auto& s) { s.inputs = 4; }), "corrupt: a scaler of 4 columns keeps column 4, counted from 0");
  EXPECT_EQ(sentence([](auto& s) { s.kept = {4, 4}; }), "corrupt: a scaler keeps column 4 after column 4");
  EXPECT_EQ(sentence([](auto& s) { s.centre[1] = std::nan(""); }), "corrupt: the centre of column 4 is not finite");
  for (const double bad : {0.0, -1.0, 5e-324, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(sentence([&](auto& s) { s.spread[0] = bad; }),
              "corrupt: the spread of column 1 is no normal number above 0");
  }
  EXPECT_EQ(sentence([](auto& s) { s.kind = Scale::none; }),
            "corrupt: the scale is none, the spread of column 4 is not 1");
}

}  // namespace
}  // namespace expose

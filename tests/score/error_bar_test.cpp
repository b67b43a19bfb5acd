// Error bars against what they promise: the spread of similarities over other seeds and other samples.
#include "expose/score/error_bar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "expose/base/pool.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/learned.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

double sd(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// Over 200 seeds: sd of eta, and the root mean square of the Monte Carlo errors that were reported.
struct Spread {
  double seen;
  double reported;
};
Spread over_seeds(MapKind kind, std::size_t d, std::size_t r) {
  const Table table = normal_table(30, d, 1);
  const Table row = normal_table(1, d, 2);
  std::vector<double> eta;
  double squares = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Similarity model(learned(make_map(recipe_of(kind, d, r, seed)), table.rows()));
    eta.push_back(model.of(row.rows())[0]);
    const double error = error_bars(model, row.rows())[0].monte_carlo;
    squares += error * error / 200;
  }
  return {sd(eta), std::sqrt(squares)};
}

// The sd of 200 numbers is itself 5 % off: 20 % is four standard errors.
TEST(ErrorBar, MonteCarloPartMatchesTheSpreadOverSeeds) {
  for (const auto& [kind, d, r] :
       {std::tuple(MapKind::fourier, 3, 128), std::tuple(MapKind::fourier, 12, 200), std::tuple(MapKind::sorf, 16, 256),
        std::tuple(MapKind::sorf, 16, 261), std::tuple(MapKind::sorf, 10, 512), std::tuple(MapKind::fastfood, 16, 256),
        std::tuple(MapKind::isolation, 3, 240), std::tuple(MapKind::isolation, 10, 150)}) {
    const Spread spread = over_seeds(kind, static_cast<std::size_t>(d), static_cast<std::size_t>(r));
    EXPECT_NEAR(spread.reported / spread.seen, 1.0, 0.2) << name(kind) << ", d = " << d << ", r = " << r;
  }
}

// t_j = cos p_j C_j + sin p_j S_j
std::vector<double> terms_of(const MeanMap& mean, Rows row) {
  const std::size_t r = mean.map().r();
  std::vector<float> phi(2 * r);
  mean.map().project(row, phi);
  const std::vector<double> mu = mean.mean();
  std::vector<double> terms(r);
  for (std::size_t j = 0; j < r; ++j) terms[j] = phi[j] * mu[j] + phi[r + j] * mu[r + j];
  return terms;
}

TEST(ErrorBar, IsTheSpreadOfTheTerms) {
  const Table table = normal_table(30, 4, 3);
  const MeanMap mean = learned(make_map(recipe_of(MapKind::fourier, 4, 50)), table.rows());
  for (std::size_t i = 0; i < table.n(); ++i) {
    const Rows row = table.rows().slice(i, i + 1);
    EXPECT_NEAR(error_bars(Similarity(mean), row)[0].monte_carlo, sd(terms_of(mean, row)) / std::sqrt(50), 1e-12);
  }
}

// sd over the full blocks; an unfinished one counts with its frequencies only.
TEST(ErrorBar, StructuredMapsUseTheMeansOfTheirBlocks) {
  const Table table = normal_table(30, 16, 4);
  for (const std::size_t r : {160U, 165U}) {
    const SharedMap map = make_map(recipe_of(MapKind::sorf, 16, r));
    ASSERT_EQ(map->block(), 16U);
    const MeanMap mean = learned(map, table.rows());
    const Rows row = table.rows().slice(0, 1);
    const std::vector<double> terms = terms_of(mean, row);
    std::vector<double> full;
    for (std::size_t block = 0; block * 16 < r; ++block) {
      double sum = 0;
      int members = 0;
      for (std::size_t j = 0; j < r; ++j) {
        if (map->block_of(j) != block) continue;
        sum += terms[j];
        ++members;
      }
      if (members == 16) full.push_back(sum / 16);
    }
    ASSERT_EQ(full.size(), 10U);
    EXPECT_NEAR(error_bars(Similarity(mean), row)[0].monte_carlo, sd(full) / std::sqrt(static_cast<double>(r) / 16),
                1e-12);
  }
}

TEST(ErrorBar, WithFewBlocksTermsCountAsIndependent) {
  const Table table = normal_table(30, 16, 5);
  const SharedMap map = make_map(recipe_of(MapKind::sorf, 16, 7 * 16 + 15));  // 7 full blocks and one that is not
  ASSERT_EQ(map->block(), 16U);
  const MeanMap mean = learned(map, table.rows());
  const Rows row = table.rows().slice(0, 1);
  EXPECT_NEAR(error_bars(Similarity(mean), row)[0].monte_carlo, sd(terms_of(mean, row)) / std::sqrt(127), 1e-12);
}

TEST(ErrorBar, ASingleTermShowsNoSpread) {
  const Table table = normal_table(5, 2, 6);
  const Similarity model(learned(make_map(recipe_of(MapKind::fourier, 2, 1)), table.rows()));
  EXPECT_EQ(error_bars(model, table.rows())[0].monte_carlo, 1.0);
}

TEST(ErrorBar, IsolationUsesTheSpreadOfItsPartitions) {
  const Table table = normal_table(30, 3, 17);
  const MeanMap mean = learned(make_map(recipe_of(MapKind::isolation, 3, 5 * 4)), table.rows());
  const Rows row = table.rows().slice(0, 1);
  std::vector<float> phi(20);
  mean.map().project(row, phi);
  std::vector<double> partitions(5, 0.0);
  for (std::size_t j = 0; j < 20; ++j) partitions[j / 4] += phi[j] * mean.mean()[j];
  EXPECT_NEAR(error_bars(Similarity(mean), row)[0].monte_carlo, sd(partitions) / std::sqrt(5), 1e-12);
  const MeanMap one = learned(make_map(recipe_of(MapKind::isolation, 3, 4)), table.rows());
  EXPECT_EQ(error_bars(Similarity(one), row)[0].monte_carlo, 1.0) << "one partition shows no spread";
}

TEST(ErrorBar, NystromHasNoMonteCarloPart) {
  const Table table = normal_table(50, 3, 7);
  const Similarity model(learned(make_map(recipe_of(MapKind::nystrom, 3, 20)), table.rows()));
  const std::vector<double> eta = model.of(table.rows());
  const std::vector<ErrorBar> bars = error_bars(model, table.rows());
  for (std::size_t i = 0; i < bars.size(); ++i) {
    EXPECT_EQ(bars[i].monte_carlo, 0.0);
    EXPECT_NEAR(bars[i].sampling, std::sqrt(eta[i] * (1 - eta[i]) / 50), 1e-15);
    EXPECT_EQ(bars[i].total(), bars[i].sampling);
  }
}

// sqrt(eta (1 - eta) / n) bounds the spread over samples of n rows.
TEST(ErrorBar, SamplingPartBoundsTheSpreadOverSamples) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 3, 512, 1, Gaussian{0.7}));
  const Table row = normal_table(1, 3, 8);
  std::vector<double> eta;
  double squares = 0;
  for (std::uint64_t seed = 100; seed < 300; ++seed) {
    const Table sample = normal_table(40, 3, seed);
    const Similarity model(learned(map, sample.rows()));
    eta.push_back(model.of(row.rows())[0]);
    const double error = error_bars(model, row.rows())[0].sampling;
    squares += error * error / 200;
  }
  EXPECT_LT(sd(eta), std::sqrt(squares));
  EXPECT_GT(sd(eta), 0.25 * std::sqrt(squares)) << "a bound, but not an idle one";
}

TEST(ErrorBar, FadingCountsItsEffectiveRows) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 3, 256));
  const Table table = normal_table(100, 3, 9);
  FadingMean fading(map, Fading{0.2});
  fading.learn(table.rows());
  const Similarity model(fading);
  const double eta = model.of(table.rows())[5];
  EXPECT_NEAR(error_bars(model, table.rows())[5].sampling, std::sqrt(eta * (1 - eta) / fading.effective_n()), 1e-5);
  EXPECT_NEAR(fading.effective_n(), 9.0, 1e-3);
}

TEST(ErrorBar, AnEmptyModelKnowsNothing) {
  const Table table = normal_table(3, 2, 10);
  for (const MapKind kind : {MapKind::fourier, MapKind::nystrom}) {
    const std::vector<ErrorBar> bars = error_bars(Similarity(MeanMap(make_map(recipe_of(kind, 2, 8)))), table.rows());
    EXPECT_EQ(bars[2].monte_carlo, 0.0);
    EXPECT_EQ(bars[2].sampling, std::numeric_limits<double>::infinity());
    EXPECT_EQ(bars[2].total(), std::numeric_limits<double>::infinity());
  }
}

TEST(ErrorBar, SimilaritiesOutsideZeroToOneHaveNoSamplingPart) {
  const Table row = normal_table(1, 2, 11);
  const Table far = normal_table(40, 2, 12, 50.0);
  const Similarity model(learned(make_map(recipe_of(MapKind::fourier, 2, 64)), row.rows()));
  const std::vector<double> eta = model.of(far.rows());
  const std::vector<ErrorBar> bars = error_bars(model, far.rows());
  int below = 0;
  for (std::size_t i = 0; i < far.n(); ++i) {
    if (eta[i] > -0.001) continue;
    ++below;
    EXPECT_EQ(bars[i].sampling, 0.0);
    EXPECT_GT(bars[i].total(), 0.0);
  }
  EXPECT_GT(below, 0);
}

TEST(ErrorBar, TotalAddsTheSquares) {
  EXPECT_EQ((ErrorBar{3.0, 4.0}.total()), 5.0);
  EXPECT_EQ((ErrorBar{}.total()), 0.0);
}

TEST(ErrorBar, IsTheSameAloneInABatchAndOnThreads) {
  const Table table = normal_table(200, 16, 13);
  for (const MapKind kind : {MapKind::fourier, MapKind::sorf, MapKind::nystrom, MapKind::isolation}) {
    const Similarity model(learned(make_map(recipe_of(kind, 16, 128)), table.rows()));
    const std::vector<ErrorBar> bars = error_bars(model, table.rows());
    Pool pool(3);
    const std::vector<ErrorBar> on_threads = error_bars(model, table.rows(), &pool);
    for (std::size_t i = 0; i < table.n(); ++i) {
      EXPECT_EQ(on_threads[i].total(), bars[i].total()) << name(kind) << ", row " << i;
      EXPECT_EQ(error_bars(model, table.rows().slice(i, i + 1))[0].total(), bars[i].total()) << name(kind);
    }
  }
}

TEST(ErrorBar, RefusesBadRows) {
  const Table table = normal_table(3, 2, 14);
  const Similarity model(learned(make_map(recipe_of(MapKind::fourier, 2, 8)), table.rows()));
  EXPECT_EQ(complaint([&] { error_bars(model, normal_table(1, 3, 15).rows()); }),
            "shape_mismatch: rows have 3 columns, the map takes 2");
  Table bad = normal_table(200, 2, 16);
  bad.values[301] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(complaint([&] { error_bars(model, bad.rows()); }), "not_finite: row 151, column 2 is inf");
}

}  // namespace
}  // namespace expose

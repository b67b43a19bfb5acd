// What a plan depends on (the rows and the seed) and what not (their order, repetitions against weights, float against
// double), and whether what it decides is what the slow obvious version decides.
#include "expose/detector/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expose/base/hash.hpp"
#include "expose/base/text.hpp"
#include "expose/score/similarity.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> scaled(const Plan& made, Records rows) {
  std::vector<float> values(rows.n() * made.d());
  made.scaler().apply(rows, values);
  return values;
}

double naive_distance(std::span<const float> x, std::span<const float> z, bool l1) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(z[k]);
    sum += l1 ? std::abs(difference) : difference * difference;
  }
  return l1 ? sum : std::sqrt(sum);
}

double median_of_non_zero_distances(Rows rows, bool l1 = false) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    for (std::size_t j = 0; j < i; ++j) distances.push_back(naive_distance(rows[i], rows[j], l1));
  }
  std::erase(distances, 0.0);
  std::sort(distances.begin(), distances.end());
  return distances.at(distances.size() / 2);
}

class PlanOf : public EveryMap {
 protected:
  static Options options() { return {.map = GetParam(), .r = kR}; }
};
EXPOSE_FOR_EVERY_MAP(PlanOf);

TEST_P(PlanOf, TheOrderOfRowsIsNotSeen) {
  for (const std::size_t n : {2U, 30U, 1500U, 12000U}) {
    const Table table = normal_table(n, kD, 1);
    const Plan made = plan(table.rows(), options());
    for (const std::uint64_t seed : {5U, 6U}) {
      EXPECT_EQ(plan(pick(table, shuffled(n, seed)).rows(), options()).fingerprint(), made.fingerprint()) << n;
    }
  }
}

TEST_P(PlanOf, FloatAndDoubleAreTheSame) {
  const Table table = normal_table(300, kD, 2);
  const std::vector<double> doubles(table.values.begin(), table.values.end());
  EXPECT_EQ(plan(Records(doubles, kD), options()).fingerprint(), plan(table.rows(), options()).fingerprint());
}

TEST_P(PlanOf, WholeWeightsAreRepetitions) {
  for (const std::size_t n : {10U, 700U, 11000U}) {
    const Table table = normal_table(n, kD, 3);
    std::vector<double> weights;
    std::vector<std::size_t> repeated;
    for (std::size_t i = 0; i < n; ++i) {
      weights.push_back(static_cast<double>(i % 4));  // 0: not there
      repeated.insert(repeated.end(), i % 4, i);
    }
    const Plan by_weights = plan(table.rows(), options(), weights);
    const Plan by_repetition = plan(pick(table, repeated).rows(), options());
    EXPECT_EQ(by_weights.fingerprint(), by_repetition.fingerprint()) << n;
    EXPECT_EQ(by_weights.description(), by_repetition.description()) << n;
  }
}

TEST_P(PlanOf, AnotherSeedIsAnotherPlan) {
  const Table table = normal_table(12000, kD, 4);
  Options other = options();
  other.seed = 1;
  EXPECT_NE(plan(table.rows(), other).fingerprint(), plan(table.rows(), options()).fingerprint());
}

TEST_P(PlanOf, OneOtherValueIsAnotherPlan) {
  Table table = normal_table(100, kD, 5);
  const std::uint64_t before = plan(table.rows(), options()).fingerprint();
  table.values[7] += 0.5F;
  EXPECT_NE(plan(table.rows(), options()).fingerprint(), before);
}

TEST_P(PlanOf, FourFifthsOfTheRowsPassTheGate) {
  for (const std::size_t n : {100U, 2000U, 20000U}) {  // all of them in the gate's sample, or a tenth
    const Table table = normal_table(n, kD, 6);
    const Plan made = plan(table.rows(), {.map = GetParam(), .r = 256});
    ASSERT_TRUE(made.gatekeeper().has_value());
    const std::vector<float> values = scaled(made, table.rows());
    const std::vector<double> eta = made.gatekeeper()->similarity(Rows(values, made.d()));
    const auto passed = std::ranges::count_if(eta, [&](double value) { return value >= made.parts().gate->threshold; });
    EXPECT_NEAR(static_cast<double>(passed) / static_cast<double>(n), 0.8, n == 20000 ? 0.03 : 1e-9) << n;
  }
}

// The gate is there to keep these out.
TEST_P(PlanOf, ScatteredFarRowsDoNotPassTheGate) {
  Table table = normal_table(500, kD, 7);
  Table far = normal_table(50, kD, 8);
  for (float& value : far.values) value += std::copysign(8.0F, value);
  table.values.insert(table.values.end(), far.values.begin(), far.values.end());
  const Plan made = plan(table.rows(), {.map = GetParam()});
  const std::vector<float> values = scaled(made, far.rows());
  for (const double eta : made.gatekeeper()->similarity(Rows(values, made.d())))
    EXPECT_LT(eta, made.parts().gate->threshold);
}

TEST(Plan, TheBandwidthIsAShareOfTheMedianDistance) {
  const Table table = normal_table(400, 6, 1);
  for (const Scale scale : {Scale::robust, Scale::zscore, Scale::none}) {
    const Plan made = plan(table.rows(), {.scale = scale});
    const std::vector<float> values = scaled(made, table.rows());
    const Rows rows(values, made.d());
    const double median = median_of_non_zero_distances(rows);
    EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 1e-12 * median);
    const Plan l1 = plan(table.rows(), {.kernel = Laplacian{}, .scale = scale});
    EXPECT_EQ(name(l1.kernel()), "laplacian");
    EXPECT_NEAR(bandwidth(l1.kernel()), 0.25 * median_of_non_zero_distances(rows, true), 1e-12 * median);
  }
}

TEST(Plan, ADrawOfThousandRowsKnowsTheMedianDistanceOfAll) {
  const Table table = normal_table(3000, 6, 2);
  const Plan made = plan(table.rows());
  const std::vector<float> values = scaled(made, table.rows());
  const double median = median_of_non_zero_distances(Rows(values, made.d()));
  EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 0.01 * median);
}

TEST(Plan, EqualRowsAreNoDistance) {
  const Table table = normal_table(40, 3, 3);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 40; ++i) copies.insert(copies.end(), 10, i);
  const Plan made = plan(pick(table, copies).rows());
  const std::vector<float> values = scaled(made, table.rows());
  const double median = median_of_non_zero_distances(Rows(values, made.d()));
  EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 1e-12 * median);
}

// Of ten values with a tenth of the rows each, a look at the first thousand rows of the sample would see one.
TEST(Plan, AFewValuesThatMakeUpTheTableAllCount) {
  const Table table = normal_table(10, 3, 4);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 30000; ++i) copies.push_back(i % 10);
  const Plan made = plan(pick(table, copies).rows(), {.trim = 0.0});
  const std::vector<float> values = scaled(made, table.rows());
  const double median = median_of_non_zero_distances(Rows(values, made.d()));
  EXPECT_NEAR(bandwidth(made.kernel()), 0.354 * median, 1e-12 * median);
  EXPECT_EQ(made.map()->r(), 10U);
}

TEST(Plan, TheGateSeesEveryValueThatMakesUpTheTable) {
  const Table table = normal_table(10, 3, 4);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 30000; ++i) copies.push_back(i % 10);
  const Plan made = plan(pick(table, copies).rows());
  const std::vector<float> values = scaled(made, table.rows());
  const std::vector<double> eta = made.gatekeeper()->similarity(Rows(values, made.d()));
  const auto passed = std::ranges::count_if(eta, [&](double value) { return value >= made.parts().gate->threshold; });
  EXPECT_GE(passed, 8);
}

TEST(Plan, ABandwidthThatIsGivenIsTaken) {
  const Table table = normal_table(50, 3, 5);
  EXPECT_EQ(plan(table.rows(), {.bandwidth = 1.25}).kernel(), Kernel(Gaussian{1.25}));
  EXPECT_EQ(plan(table.rows(), {.kernel = Matern32{1.25}}).kernel(), Kernel(Matern32{1.25}));
}

TEST(Plan, NoTableLeadsToABandwidthOfZeroOrInfinity) {
  const float least = std::numeric_limits<float>::denorm_min();
  const double huge = 1e300;
  const std::vector<std::vector<double>> columns = {{5},
                                                    {5, 5, 5},
                                                    {0, least},
                                                    {0, 1e-300, 3e-300, 1e-305},
                                                    {huge, -huge, 0.5 * huge},
                                                    {1, 1 + 1e-15},
                                                    {0, 0, 0, 1e-40},
                                                    {1e300, 1, 2, 3}};
  for (const std::vector<double>& column : columns) {
    for (const Scale scale : {Scale::robust, Scale::zscore, Scale::none}) {
      for (const MapKind map : {MapKind::nystrom, MapKind::fourier}) {
        const Plan made = plan(Records(column, 1), {.map = map, .r = 20, .scale = scale});
        EXPECT_TRUE(std::isnormal(bandwidth(made.kernel())));
        EXPECT_GT(bandwidth(made.kernel()), 0);
        MeanMap mean(made.map());
        const std::vector<float> values = scaled(made, Records(column, 1));
        mean.add(Rows(values, made.d()));
        for (const double eta : Similarity(mean).of(Rows(values, made.d()))) {
          EXPECT_TRUE(eta >= -0.5 && eta <= 1.5) << eta << ", scale " << name(scale) << ", first " << column[0];
        }
      }
    }
  }
}

TEST(Plan, LandmarksAreRowsOfTheTableAndDiffer) {
  for (const std::size_t n : {40U, 256U, 3000U, 12000U}) {
    const Table table = normal_table(n, 3, 6);
    const Plan made = plan(table.rows());
    const std::vector<float> values = scaled(made, table.rows());
    const auto by_row = [](const std::vector<float>& numbers) {
      std::vector<std::vector<float>> rows;
      for (std::size_t i = 0; i < numbers.size(); i += 3) rows.emplace_back(&numbers[i], &numbers[i] + 3);
      std::sort(rows.begin(), rows.end());
      return rows;
    };
    const std::vector<std::vector<float>> landmarks = by_row(made.map()->recipe().landmarks);
    EXPECT_EQ(landmarks.size(), std::min<std::size_t>(n, 256));
    EXPECT_TRUE(std::ranges::includes(by_row(values), landmarks));
    EXPECT_EQ(std::ranges::adjacent_find(landmarks), landmarks.end());
  }
}

// Half of the rows are one value: it is a landmark, whatever its hash, and rows that differ take the places of copies.
TEST(Plan, AFrequentRowIsALandmarkOnce) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Table table = normal_table(20000, 2, seed);
    for (std::size_t i = 0; i < 10000; ++i) table.values[2 * i] = table.values[2 * i + 1] = 0.5F;
    const Plan made = plan(table.rows());
    const std::vector<float> half = {0.5F, 0.5F};
    const std::vector<float> wanted = scaled(made, Rows(half, 2));
    const Rows landmarks(made.map()->recipe().landmarks, 2);
    int found = 0;
    for (std::size_t j = 0; j < landmarks.n(); ++j) found += std::ranges::equal(landmarks[j], wanted) ? 1 : 0;
    EXPECT_EQ(found, 1);
    EXPECT_EQ(landmarks.n(), 256U);
  }
}

TEST(Plan, FrequentRowsAreKnownByTheirHashes) {
  Table table = normal_table(20000, 2, 9);
  EXPECT_TRUE(plan(table.rows()).parts().frequent.empty());
  for (std::size_t i = 0; i < 10000; ++i) table.values[2 * i] = table.values[2 * i + 1] = 0.5F;
  EXPECT_EQ(plan(table.rows()).parts().frequent.size(), 1U);
  EXPECT_EQ(plan(pick(table, shuffled(20000, 1)).rows()).parts().frequent, plan(table.rows()).parts().frequent);
  // A model may learn more rows than its plan was made on: a row that is often in a small table is one too.
  EXPECT_EQ(plan(table.rows().slice(9900, 10100)).parts().frequent, plan(table.rows()).parts().frequent);
}

TEST(Plan, BadRowsAreLeftOut) {
  const Table table = normal_table(200, 3, 10);
  Table with_bad = table;
  for (const float bad : {kNaN, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    const std::vector<float> row = {1.0F, bad, 2.0F};
    with_bad.values.insert(with_bad.values.begin() + 30, row.begin(), row.end());
  }
  const Options reject{.missing = Missing::reject};
  EXPECT_EQ(plan(with_bad.rows(), reject).fingerprint(), plan(table.rows(), reject).fingerprint());
  EXPECT_EQ(plan(with_bad.rows(), reject).parts().planned_on, 200);
  EXPECT_EQ(plan(with_bad.rows()).parts().planned_on, 201);  // one of them has a missing value
}

TEST(Plan, NeedsARow) {
  const std::string sentence =
      "invalid_argument: a plan needs at least 1 row with a value and no infinite one, there is none";
  EXPECT_EQ(complaint([] { plan(Records()); }), sentence);
  const std::vector<float> bad = {1.0F, kNaN, kNaN, 2.0F}, nothing(4, kNaN);
  EXPECT_EQ(complaint([&] { plan(Rows(nothing, 2)); }), sentence);
  EXPECT_EQ(complaint([&] { plan(Rows(bad, 2), {.missing = Missing::reject}); }),
            "invalid_argument: a plan needs at least 1 row without missing or infinite values, there is none");
  const Table table = normal_table(3, 2, 1);
  EXPECT_EQ(complaint([&] { plan(table.rows(), {}, std::vector<double>{0, 0, 0}); }), sentence);
}

TEST(Plan, ConstantColumnsDropOut) {
  Table table = normal_table(100, 4, 11);
  for (std::size_t i = 0; i < 100; ++i) table.values[4 * i + 1] = 3.0F;
  const Plan made = plan(table.rows());
  EXPECT_EQ(made.columns(), 4U);
  EXPECT_EQ(made.d(), 3U);
  EXPECT_EQ(made.map()->d(), 3U);
  EXPECT_NE(made.description().find("3 of 4 columns (the others are constant)"), std::string::npos);
}

TEST(Plan, WeightsAreCheckedAndCountRows) {
  const Table table = normal_table(3, 2, 12);
  EXPECT_EQ(complaint([&] {
              plan(table.rows(), {}, std::vector<double>{1, 2});
            }),
            "shape_mismatch: there are 3 rows and 2 weights");
  EXPECT_EQ(complaint([&] {
              plan(table.rows(), {}, std::vector<double>{1, -2, 1});
            }),
            "invalid_argument: weight 2 must be a number from 0 to 2^40, it is -2");
  EXPECT_EQ(plan(table.rows(), {}, std::vector<double>{1, 5, 2}).parts().planned_on, 8);
  EXPECT_EQ(plan(table.rows(), {}, std::vector<double>{0.5, 5, 2.5}).parts().planned_on, 8);
}

// Fractional weights must not make many rows of a few.
TEST(Plan, AFewRowsHaveNoGateWhateverTheirWeights) {
  const Table table = normal_table(10, 2, 13);
  EXPECT_FALSE(plan(table.rows()).gatekeeper().has_value());
  EXPECT_FALSE(plan(table.rows(), {}, std::vector<double>(10, 0.5)).gatekeeper().has_value());
  EXPECT_FALSE(plan(normal_table(19, 2, 13).rows()).gatekeeper().has_value());
  EXPECT_TRUE(plan(normal_table(20, 2, 13).rows()).gatekeeper().has_value());
  EXPECT_TRUE(plan(table.rows(), {}, std::vector<double>(10, 2.5)).gatekeeper().has_value());
}

TEST(Plan, TheDescriptionSaysAllThatWasDecided) {
  const Table table = normal_table(300, 4, 14);
  const Plan made = plan(table.rows(), {.seed = 42});
  EXPECT_EQ(made.description(),
            "columns       4 columns\n"
            "scale         robust\n"
            "kernel        gaussian, bandwidth " +
                text(bandwidth(made.kernel())) +
                "\n"
                "map           nystrom, r = 256\n"
                "memory        everything\n"
                "gate          similarity at least " +
                text(made.parts().gate->threshold) +
                " to the inner 80 % of the sample\n"
                "missing       integrated out\n"
                "seed          42\n"
                "planned on    300 rows\n"
                "fingerprint   " +
                hex(made.fingerprint()) + "\n");
  EXPECT_EQ(plan(table.rows(), {.bandwidth = 1.23456}).summary(),
            "4 columns, scale robust, gaussian kernel of bandwidth 1.23, nystrom map with r = 256, memory everything");
  EXPECT_EQ(plan(table.rows(), {.bandwidth = 1e-10, .map = MapKind::fourier, .r = 8}).summary(),
            "4 columns, scale robust, gaussian kernel of bandwidth 1e-10, fourier map with r = 8, memory everything");
  EXPECT_EQ(plan(table.rows(), {.seed = 42}).description(), made.description());
}

TEST(Plan, TheDescriptionSaysWhatIsMissing) {
  const Table table = normal_table(300, 4, 14);
  const std::vector<double> values(table.values.begin(), table.values.end());
  const std::string text = plan_from_sample(Records(values, 4), {.memory = Fading{0.01}}, 5000, true).description();
  EXPECT_NE(text.find("memory        fading:0.01\n"), std::string::npos);
  EXPECT_NE(text.find("gate          none\n"), std::string::npos);
  EXPECT_NE(text.find("planned on    5000 rows, the first ones: the data could be read only once\n"),
            std::string::npos);
}

TEST(Plan, ThePaperScalesNothingAndKeepsNoRowOut) {
  const Table table = normal_table(1500, 4, 15, 10.0);
  const Plan made = plan(table.rows(), {.preset = Preset::paper});
  EXPECT_EQ(made.scaler().kind(), Scale::none);
  EXPECT_FALSE(made.gatekeeper().has_value());
  EXPECT_EQ(made.map()->r(), 1000U);
  EXPECT_NE(made.fingerprint(), plan(table.rows()).fingerprint());
}

TEST(Plan, PartsMustFitTogether) {
  const Table table = normal_table(50, 4, 16);
  Plan::Parts parts = plan(table.rows()).parts();
  parts.map = make_map(recipe_of(MapKind::fourier, 3, 8));
  EXPECT_EQ(complaint([&] { Plan{parts}; }), "incompatible: the scaler gives 4 columns, the map takes 3");
  parts.map = make_map(recipe_of(MapKind::fourier, 4, 8));
  EXPECT_EQ(complaint([&] { Plan{parts}; }).substr(0, 13), "incompatible:");
  parts.gate.reset();
  EXPECT_EQ(complaint([&] { Plan{parts}; }), "no complaint");
}

TEST(Plan, EveryPartIsInTheFingerprint) {
  const Table table = normal_table(50, 4, 17);
  const Plan made = plan(table.rows());
  EXPECT_EQ(Plan(made.parts()).fingerprint(), made.fingerprint());
  const auto changed = [&](auto change) {
    Plan::Parts parts = made.parts();
    change(parts);
    return Plan(std::move(parts)).fingerprint() != made.fingerprint();
  };
  EXPECT_TRUE(changed([](Plan::Parts& parts) { parts.gate->threshold += 0.125; }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) { parts.gate->inner *= 2.0; }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) { parts.gate.reset(); }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) { parts.memory = Window{7}; }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) { parts.trim = 0.3; }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) { parts.seed = 3; }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) { parts.frequent.push_back(7); }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) {
    Scaler::State state = parts.scaler.state();
    state.centre[0] += 1;
    parts.scaler = Scaler::from_state(state);
  }));
  EXPECT_TRUE(changed([](Plan::Parts& parts) {
    Recipe recipe = parts.map->recipe();
    recipe.kernel = Gaussian{3.0};
    parts.map = make_map(recipe);
    parts.gate.reset();
  }));
}

TEST(Plan, OthersAreRefusedByBothFingerprints) {
  const Plan a = plan(normal_table(50, 4, 18).rows());
  const Plan b = plan(normal_table(50, 4, 19).rows());
  EXPECT_EQ(complaint([&] { require_same_plan(a, b); }),
            "incompatible: models are merged and compared only if they have the same plan (make the second as "
            "Detector(first.plan())); these have the fingerprints " +
                hex(a.fingerprint()) + " and " + hex(b.fingerprint()));
  EXPECT_EQ(complaint([&] { require_same_plan(a, a); }), "no complaint");
}

}  // namespace
}  // namespace expose

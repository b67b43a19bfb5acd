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
#include "tests/detector/scaled.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

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

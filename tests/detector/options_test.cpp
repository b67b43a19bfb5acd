#include "expose/detector/options.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "expose/detector/plan.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

std::string refusal(const Options& options) {
  return complaint([&] { require_valid(options); });
}

TEST(Options, DefaultsAreThoseOfTheInterface) {
  const Options options;
  EXPECT_EQ(options.kernel, Kernel(Gaussian{}));
  EXPECT_EQ(options.memory, Memory(Everything{}));
  EXPECT_EQ(options.alpha, 0.01);
  EXPECT_EQ(options.seed, 0U);
  EXPECT_EQ(options.threads, 0U);
  EXPECT_EQ(options.preset, Preset::balanced);
  EXPECT_FALSE(options.bandwidth || options.map || options.r || options.scale || options.trim);
  EXPECT_FALSE(options.fdr || options.contamination || options.top);
  EXPECT_EQ(refusal(options), "no complaint");
}

TEST(Options, PresetsHaveNames) {
  for (const Preset preset : {Preset::balanced, Preset::paper}) EXPECT_EQ(preset_named(name(preset)), preset);
  EXPECT_EQ(name(Preset::balanced), "balanced");
  EXPECT_EQ(name(Preset::paper), "paper");
  EXPECT_EQ(complaint([] { preset_named("fast"); }),
            "invalid_argument: there is no preset 'fast'; it may be balanced or paper");
}

TEST(Options, RowsAreFlaggedByTheOneRuleThatIsGiven) {
  EXPECT_EQ(threshold_of({}), Threshold(Alpha{0.01}));
  EXPECT_EQ(threshold_of({.alpha = 0.2}), Threshold(Alpha{0.2}));
  EXPECT_EQ(threshold_of({.fdr = 0.1}), Threshold(Fdr{0.1}));
  EXPECT_EQ(threshold_of({.contamination = 0.3}), Threshold(Contamination{0.3}));
  EXPECT_EQ(threshold_of({.top = 7}), Threshold(Top{7}));
  EXPECT_EQ(threshold_of({.alpha = 0.2, .top = 7}), Threshold(Top{7}));
}

TEST(Options, TwoRulesAreRefused) {
  EXPECT_EQ(refusal({.fdr = 0.1, .top = 3}),
            "invalid_argument: rows are flagged by one of fdr, contamination and top; 2 of them are given");
  EXPECT_EQ(refusal({.fdr = 0.1, .contamination = 0.1, .top = 3}),
            "invalid_argument: rows are flagged by one of fdr, contamination and top; 3 of them are given");
}

TEST(Options, RefusesRulesOutOfRange) {
  EXPECT_EQ(refusal({.alpha = 0}), "invalid_argument: alpha is 0, it must be above 0 and below 1");
  EXPECT_EQ(refusal({.fdr = 1.5}), "invalid_argument: the false discovery rate is 1.5, it must be above 0 and below 1");
  EXPECT_EQ(refusal({.contamination = -0.5}),
            "invalid_argument: the contamination is -0.5, it must be above 0 and below 1");
  EXPECT_EQ(refusal({.top = 0}), "invalid_argument: the number of top rows is 0, it must be at least 1");
}

TEST(Options, RefusesWhatNoPlanCanBeMadeOf) {
  EXPECT_EQ(refusal({.trim = 1.0}), "invalid_argument: trim is a share from 0 to below 1, it is 1");
  EXPECT_EQ(refusal({.trim = -0.25}), "invalid_argument: trim is a share from 0 to below 1, it is -0.25");
  EXPECT_EQ(refusal({.trim = std::numeric_limits<double>::quiet_NaN()}),
            "invalid_argument: trim is a share from 0 to below 1, it is nan");
  EXPECT_EQ(refusal({.trim = 0.0}), "no complaint");
  EXPECT_EQ(refusal({.r = 0}), "invalid_argument: r must be at least 1, it is 0");
  EXPECT_EQ(refusal({.memory = Window{0}}), complaint([] { require_valid(Memory(Window{0})); }));
  EXPECT_NE(refusal({.memory = Fading{1.5}}), "no complaint");
}

TEST(Options, TheBandwidthIsGivenOnceOrNotAtAll) {
  EXPECT_EQ(refusal({.bandwidth = 2.0}), "no complaint");
  EXPECT_EQ(refusal({.kernel = Laplacian{2.0}}), "no complaint");
  EXPECT_EQ(refusal({.kernel = Laplacian{2.0}, .bandwidth = 2.0}), "no complaint");
  EXPECT_EQ(refusal({.kernel = Laplacian{2.0}, .bandwidth = 3.0}),
            "invalid_argument: the kernel has the bandwidth 2, the option bandwidth is 3; give one of them");
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(refusal({.bandwidth = bad}), complaint([&] { require_valid(Kernel(Gaussian{bad})); }));
    EXPECT_NE(refusal({.bandwidth = bad}), "no complaint");
  }
  EXPECT_NE(refusal({.kernel = Gaussian{-1.0}}), "no complaint");
}

TEST(Options, PlansAndFitsRefuseThemBeforeLookingAtRows) {
  const Table table = normal_table(30, 2, 1);
  EXPECT_EQ(complaint([&] { plan(table.rows(), {.r = 0}); }), "invalid_argument: r must be at least 1, it is 0");
  EXPECT_EQ(complaint([&] { plan(Records(), {.trim = 2.0}); }),
            "invalid_argument: trim is a share from 0 to below 1, it is 2");
}

// What the interface says about the options that are left open.
struct Open {
  Options options;
  std::size_t d;
  MapKind map;
  std::size_t r;
  Scale scale;
  double trim;
};

TEST(Options, WhatIsLeftOpenIsDecidedAsTheInterfaceSays) {
  const std::vector<Open> cases = {
      {{}, 3, MapKind::nystrom, 256, Scale::robust, 0.2},
      {{}, 20, MapKind::nystrom, 256, Scale::robust, 0.2},
      {{.map = MapKind::fourier}, 3, MapKind::fourier, 2048, Scale::robust, 0.2},
      {{.r = 10}, 3, MapKind::nystrom, 10, Scale::robust, 0.2},
      {{.map = MapKind::isolation}, 3, MapKind::isolation, 512, Scale::robust, 0.2},
      {{.scale = Scale::zscore, .trim = 0.1}, 3, MapKind::nystrom, 256, Scale::zscore, 0.1},
      {{.memory = Window{50}}, 15, MapKind::fourier, 2048, Scale::robust, 0.0},
      {{.memory = Window{50}}, 16, MapKind::sorf, 2048, Scale::robust, 0.0},
      {{.memory = Fading{0.1}}, 15, MapKind::fourier, 2048, Scale::robust, 0.0},
      {{.memory = Fading{0.1}}, 16, MapKind::sorf, 2048, Scale::robust, 0.0},
      {{.map = MapKind::nystrom, .memory = Fading{0.1}}, 16, MapKind::nystrom, 256, Scale::robust, 0.0},
      // Structured maps need a kernel that looks the same from all sides.
      {{.kernel = Laplacian{}, .memory = Fading{0.1}}, 16, MapKind::fourier, 2048, Scale::robust, 0.0},
      {{.preset = Preset::paper}, 3, MapKind::nystrom, 1000, Scale::none, 0.0},
      {{.memory = Window{50}, .preset = Preset::paper}, 20, MapKind::fourier, 20000, Scale::none, 0.0},
      {{.memory = Fading{0.1}, .preset = Preset::paper}, 3, MapKind::fourier, 20000, Scale::none, 0.0},
      {{.r = 64, .scale = Scale::robust, .preset = Preset::paper}, 3, MapKind::nystrom, 64, Scale::robust, 0.0},
      {{.trim = 0.3, .preset = Preset::paper}, 3, MapKind::nystrom, 1000, Scale::none, 0.3},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    const Plan made = plan(normal_table(1200, cases[i].d, 1).rows(), cases[i].options);
    EXPECT_EQ(made.map()->recipe().kind, cases[i].map);
    EXPECT_EQ(made.map()->r(), cases[i].r);
    EXPECT_EQ(made.scaler().kind(), cases[i].scale);
    EXPECT_EQ(made.parts().trim, cases[i].trim);
    EXPECT_EQ(made.gatekeeper().has_value(), cases[i].trim > 0);
    EXPECT_EQ(made.memory(), cases[i].options.memory);
  }
}

// 16 columns of which one never varies are 15.
TEST(Options, TheMapOfAStreamIsDecidedByTheColumnsThatVary) {
  Table table = normal_table(100, 16, 1);
  for (std::size_t i = 0; i < table.n(); ++i) table.values[i * 16 + 4] = 7.0F;
  EXPECT_EQ(plan(table.rows(), {.memory = Window{10}}).map()->recipe().kind, MapKind::fourier);
}

}  // namespace
}  // namespace expose

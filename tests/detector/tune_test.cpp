// Tuning: it finds what the default misses, leaves the default alone where labels say nothing, and does not see order.
#include "expose/detector/tune.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "expose/calibrate/ranking.hpp"
#include "expose/detector/detector.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

struct Case {
  Table table;
  std::vector<Label> labels;    // of a few rows
  std::vector<bool> anomalous;  // the truth about all
};

// Many tight clusters far apart, and anomalies between them, as near to the clusters as those are to one another:
// the median distance is that of clusters, and a bandwidth of that order sees one cloud.
Case clusters(std::size_t n, std::size_t labelled, std::uint64_t seed) {
  Random random(seed, 0);
  Case made{{{}, 2}, std::vector<Label>(n, Label::unlabelled), std::vector<bool>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    made.anomalous[i] = i % 10 == 0;
    for (int k = 0; k < 2; ++k) {
      const double place = static_cast<double>(random.below(3));
      made.table.values.push_back(static_cast<float>(made.anomalous[i] ? place + 0.3 + 0.4 * random.uniform()
                                                                       : place + 0.02 * random.normal()));
    }
    if (i < labelled) made.labels[i] = made.anomalous[i] ? Label::anomaly : Label::normal;
  }
  return made;
}

double auc_of_rest(const Case& given, const Options& options) {
  const std::vector<Verdict> verdicts = detect(given.table.rows(), options).verdicts;
  std::vector<double> anomalies, normals;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (given.labels[i] != Label::unlabelled) continue;
    (given.anomalous[i] ? anomalies : normals).push_back(verdicts[i].similarity);
  }
  return auc(anomalies, normals);
}

Options small() { return {.r = 64, .seed = 3, .threads = 1}; }

TEST(Tune, FindsABandwidthWhereTheDefaultIsBad) {
  const Case given = clusters(1500, 100, 1);
  const Tuned tuned = tune(given.table.rows(), given.labels, small());
  EXPECT_LT(auc_of_rest(given, small()), 0.75);
  EXPECT_GT(auc_of_rest(given, tuned.options), 0.9);
  EXPECT_GT(tuned.auc, 0.85);  // and it knows
  EXPECT_EQ(tuned.anomalies, 10U);
  EXPECT_EQ(tuned.normals, 90U);
  EXPECT_LT(tuned.auc_of_start, tuned.auc);
  ASSERT_TRUE(tuned.options.bandwidth);
}

// Labels by the toss of a coin: what looks better by less than its error does not count.
TEST(Tune, LeavesTheDefaultOnlyForMoreThanAnError) {
  int left = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Table table = normal_table(200, 3, seed);
    std::vector<Label> labels(200, Label::unlabelled);
    for (std::size_t i = 0; i < 20; ++i) labels[i] = i % 3 == 0 ? Label::anomaly : Label::normal;
    Options options = small();
    options.r = 16;
    const Tuned tuned = tune(table.rows(), labels, options);
    bool any = false;
    for (const Trial& trial : tuned.trials) {
      any = any || trial.gain > trial.error;
      if (trial.options == tuned.options) {
        EXPECT_GT(trial.gain, 0.75 * trial.error);
      }
    }
    if (tuned.options != options) ++left;
    if (any) {
      EXPECT_NE(tuned.options, options) << seed;
    }
  }
  EXPECT_LT(left, 10);
  EXPECT_GT(left, 0);
}

// Nothing ranks better than what is right already.
TEST(Tune, LeavesADefaultThatIsRight) {
  Table table = normal_table(200, 3, 1);
  std::vector<Label> labels(200, Label::normal);
  for (std::size_t i = 0; i < 4; ++i) {
    labels[i] = Label::anomaly;
    for (std::size_t k = 0; k < 3; ++k) table.values[i * 3 + k] = 5.0F + static_cast<float>(i);
  }
  const Tuned tuned = tune(table.rows(), labels, small());
  EXPECT_EQ(tuned.options, small());
  EXPECT_EQ(tuned.auc_of_start, 1.0);
  EXPECT_EQ(tuned.auc, 1.0);
}

TEST(Tune, DoesNotSeeTheOrderOfRows) {
  const Case given = clusters(400, 60, 2);
  const Tuned tuned = tune(given.table.rows(), given.labels, small());
  const std::vector<std::size_t> order = shuffled(400, 4);
  std::vector<Label> labels;
  for (const std::size_t i : order) labels.push_back(given.labels[i]);
  const Tuned again = tune(pick(given.table, order).rows(), labels, small());
  EXPECT_EQ(again.options, tuned.options);
  EXPECT_EQ(again.auc, tuned.auc);
  ASSERT_EQ(again.trials.size(), tuned.trials.size());
  for (std::size_t i = 0; i < tuned.trials.size(); ++i) {
    EXPECT_EQ(again.trials[i].options, tuned.trials[i].options);
    EXPECT_EQ(again.trials[i].auc, tuned.trials[i].auc);
    EXPECT_EQ(again.trials[i].gain, tuned.trials[i].gain);
    EXPECT_EQ(again.trials[i].error, tuned.trials[i].error);
  }
}

TEST(TuneThreads, AreNotSeen) {
  const Case given = clusters(400, 60, 2);
  const Tuned alone = tune(given.table.rows(), given.labels, small());
  Options more = small();
  more.threads = 4;
  Tuned together = tune(given.table.rows(), given.labels, more);
  together.options.threads = 1;
  EXPECT_EQ(together.options, alone.options);
  EXPECT_EQ(together.auc, alone.auc);
}

TEST(Tune, WhatIsGivenStays) {
  const Case given = clusters(400, 60, 2);
  Options options = small();
  options.scale = Scale::zscore;
  options.kernel = Matern32{};
  options.trim = 0.1;
  for (const Trial& trial : tune(given.table.rows(), given.labels, options).trials) {
    EXPECT_EQ(trial.options.scale, Scale::zscore);
    EXPECT_EQ(name(trial.options.kernel), "matern32");
    EXPECT_EQ(trial.options.trim, 0.1);
  }
  options.bandwidth = 0.5;
  const Tuned nothing_left = tune(given.table.rows(), given.labels, options);
  EXPECT_EQ(nothing_left.trials.size(), 1U);
  EXPECT_EQ(nothing_left.options, options);
  for (const Trial& trial : tune(given.table.rows(), given.labels, small(), true).trials) {
    EXPECT_EQ(name(trial.options.kernel), "gaussian");
  }
}

// The structured maps have no Laplacian; a stream keeps its memory.
TEST(Tune, WorksForEveryMapAndMemory) {
  const Case given = clusters(200, 60, 2);
  Options options = small();
  for (const MapKind kind : {MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::nystrom}) {
    options.map = kind;
    EXPECT_NO_THROW(tune(given.table.rows(), given.labels, options)) << name(kind);
  }
  options.map = MapKind::isolation;  // three scales, and nothing else to choose
  const Tuned isolation = tune(given.table.rows(), given.labels, options);
  EXPECT_EQ(isolation.trials.size(), 3U);
  EXPECT_FALSE(isolation.options.bandwidth);
  options = small();
  options.memory = Fading{0.01};
  const Tuned tuned = tune(given.table.rows(), given.labels, options);
  EXPECT_EQ(tuned.options.memory, options.memory);
}

TEST(Tune, WorksWithMissingValues) {
  Case given = clusters(300, 100, 2);
  for (std::size_t i = 0; i < 300; i += 7) given.table.values[2 * i] = std::numeric_limits<float>::quiet_NaN();
  const Tuned tuned = tune(given.table.rows(), given.labels, small());
  EXPECT_EQ(tuned.anomalies + tuned.normals, 100U);
  EXPECT_NO_THROW(detect(given.table.rows(), tuned.options));
  for (const Trial& trial : tuned.trials) EXPECT_EQ(name(trial.options.kernel), "gaussian");
  Options rejecting = small();
  rejecting.missing = Missing::reject;
  EXPECT_EQ(tune(given.table.rows(), given.labels, rejecting).anomalies, 8U);
}

TEST(Tune, SaysWhatIsMissing) {
  const Table table = normal_table(6, 2, 1);
  std::vector<Label> labels(6, Label::normal);
  EXPECT_EQ(
      complaint([&] { tune(table.rows(), labels); }),
      "invalid_argument: tuning needs at least 2 labelled anomalies and 2 labelled normal rows; there are 0 and 6");
  labels.assign(6, Label::anomaly);
  EXPECT_EQ(
      complaint([&] { tune(table.rows(), labels); }),
      "invalid_argument: tuning needs at least 2 labelled anomalies and 2 labelled normal rows; there are 6 and 0");
  labels.pop_back();
  EXPECT_EQ(complaint([&] { tune(table.rows(), labels); }), "shape_mismatch: there are 5 labels for 6 rows");
  EXPECT_EQ(
      complaint([&] { tune(Records(), {}); }),
      "invalid_argument: tuning needs at least 2 labelled anomalies and 2 labelled normal rows; there are 0 and 0");
}

}  // namespace
}  // namespace expose

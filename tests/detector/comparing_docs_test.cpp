// The snippets of docs/drift.md, docs/groups.md and docs/uncertainty.md, as they stand there.
#include <gtest/gtest.h>

#include "expose/detector/detector.hpp"
#include "tests/detector/streams.hpp"

namespace expose {
namespace {

const Flow kLastWeek = normal_flow(500, 4, 1), kToday = normal_flow(300, 4, 2, 1.0);

TEST(Docs, Drift) {
  const Records last_week_rows = kLastWeek.rows(), today_rows = kToday.rows();
  int told = 0;
  const auto tell = [&](double, const std::vector<double>& features) { told += features.size() == 4 ? 1 : 0; };

  const Detector last_week = fit(last_week_rows);
  Detector today(last_week.plan());  // the same plan, other rows
  today.learn(today_rows);
  const Drift moved = drift(last_week, today);
  if (moved.p_value <= 0.001) tell(moved.mmd, moved.features);

  EXPECT_EQ(told, 1);
}

TEST(Docs, PastIntervals) {
  Detector model(plan(kLastWeek.rows()));
  const Detector at_nine = model;
  model.learn(kLastWeek.rows());
  const Detector at_ten = model;
  model.learn(kToday.rows());
  Detector host(model.plan());
  host.learn(kToday.rows());

  const Detector that_hour = at_ten - at_nine;   // a later checkpoint minus an earlier one
  const Detector everybody_else = model - host;  // without one host
  const Detector both_hours = that_hour + host;  // differences add up
  EXPECT_EQ(that_hour, everybody_else);
  EXPECT_EQ(both_hours, model);
}

TEST(Docs, Groups) {
  const Detector model = fit(kLastWeek.rows());
  const Flow rows = kToday;
  std::vector<std::uint32_t> host(rows.n());
  for (std::size_t i = 0; i < rows.n(); ++i) host[i] = static_cast<std::uint32_t>(i % 3);
  int looked_at = 0;
  const auto look_at = [&](std::size_t) { ++looked_at; };

  const std::vector<GroupVerdict> hosts = model.judge_groups(rows.rows(), host);  // host[i]: whose row i is
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    if (hosts[h].status == Status::ok && hosts[h].p_value <= 0.001) look_at(h);
  }

  EXPECT_EQ(looked_at, 3);
}

TEST(Docs, Uncertainty) {
  const Flow rows = kToday;
  Detector model = fit(kLastWeek.rows(), Options{.map = MapKind::fourier, .r = 64});

  const std::vector<Verdict> verdicts = model.judge(rows.rows());
  const std::vector<ErrorBar> bars = model.error_bars(rows.rows());  // similarity +- bars[i].total()
  const Trust trust = model.trust();
  if (!trust.enough) model = fit(kLastWeek.rows(), Options{.map = MapKind::fourier, .r = trust.r_needed});

  EXPECT_EQ(verdicts.size(), bars.size());
  EXPECT_FALSE(trust.enough);
  EXPECT_GT(model.plan().map()->r(), 64U);
}

}  // namespace
}  // namespace expose

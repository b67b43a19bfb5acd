#include "expose/calibrate/recent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "expose/calibrate/tail.hpp"
#include "tests/calibrate/samples.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Relative similarities: s from below 0, some beyond the floor, none of them clamped at the top.
std::vector<double> stream(std::size_t n, std::uint64_t seed) {
  return similarities_of(n, seed, [](Random& r) {
    const double s = -0.3 + exponential(r, 0.4);
    return r.below(200) == 0 ? s + 18.0 * r.uniform() : s;
  });
}

StreamCalibration learned(double gamma, std::span<const double> similarities) {
  StreamCalibration calibration(gamma);
  for (const double similarity : similarities) calibration.add(similarity);
  return calibration;
}

// Every row with its weight (1 - gamma)^age; the tail from the weights in bins.
double slow_p_value(double gamma, std::span<const double> past, double similarity) {
  const auto bin_of = [](double eta) { return SurpriseCounts::bin_of(-std::log(std::max(eta, 1e-8))); };
  std::vector<double> rows(SurpriseCounts::kBins);
  double all = 0.0;
  for (std::size_t i = 0; i < past.size(); ++i) {
    const double weight = std::pow(1.0 - gamma, static_cast<double>(past.size() - 1 - i));
    rows[bin_of(past[i])] += weight;
    all += weight;
  }
  const auto from = [&](std::size_t bin) {
    return std::accumulate(rows.begin() + static_cast<std::ptrdiff_t>(bin), rows.end(), 0.0);
  };
  const double p = (1.0 + from(bin_of(similarity))) / (1.0 + all);
  if (from(bin_of(similarity)) >= 0.5 || past.empty()) return p;
  std::size_t highest = SurpriseCounts::kBins - 1;
  for (double above = rows[highest]; above < 0.5; above += rows[highest]) --highest;
  const Tail t(rows);
  const auto log_survival = [&](double s) {
    return -t.m() * std::log1p(std::max(s - t.u(), 0.0) / (t.m() * t.theta()));
  };
  const double s = -std::log(std::max(similarity, 1e-8));
  return p * std::exp(log_survival(s) - log_survival(SurpriseCounts::edge(highest + 1)));
}

TEST(StreamCalibration, IsTheSlowOneForEachMemory) {
  for (const double gamma : {0.0, 0.001, 0.03, 0.4}) {
    const auto rows = stream(600, 61);
    StreamCalibration calibration(gamma);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i < 40 || i % 7 == 0) {
        const auto past = std::span(rows).first(i);
        for (const double eta : {rows[i], 0.05, 1e-4}) {
          ASSERT_NEAR(calibration.p_value(eta) / slow_p_value(gamma, past, eta), 1.0, 1e-11) << gamma << " " << i;
        }
      }
      calibration.add(rows[i]);
    }
  }
}

TEST(StreamCalibration, WeighsItsRows) {
  const auto rows = stream(300, 62);
  EXPECT_EQ(StreamCalibration().weight(), 0.0);
  EXPECT_EQ(learned(0.0, rows).weight(), 300.0);
  EXPECT_EQ(learned(0.25, std::span(rows).first(1)).weight(), 1.0);
  EXPECT_NEAR(learned(0.25, std::span(rows).first(3)).weight(), 1.0 + 0.75 + 0.5625, 1e-14);
  EXPECT_NEAR(learned(0.25, rows).weight(), 4.0, 1e-13);
}

TEST(StreamCalibration, OfEverythingHasNoOrder) {
  const auto rows = stream(1000, 63);
  EXPECT_EQ(learned(0.0, shuffled(rows, 64)), learned(0.0, rows));
  EXPECT_NE(learned(0.01, shuffled(rows, 64)), learned(0.01, rows));
  EXPECT_NE(learned(0.0, std::span(rows).first(999)), learned(0.0, rows));
}

TEST(StreamCalibration, OfAWindowKnowsNothingElse) {
  const auto rows = stream(2000, 65);
  constexpr std::size_t kLength = 250;
  StreamCalibration window;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    window.add(rows[i]);
    if (i >= kLength) window.subtract(rows[i - kLength]);
  }
  EXPECT_EQ(window, learned(0.0, std::span(rows).last(kLength)));
}

// Weights grow by 1 / (1 - gamma) a row and change their unit every 177 rows here, by a power of two.
TEST(StreamCalibration, FadesForEver) {
  const auto rows = stream(5000, 66);
  const StreamCalibration all = learned(0.6321, rows);
  const StreamCalibration recent = learned(0.6321, std::span(rows).last(120));
  EXPECT_LT(all.state().newest, 0x1p256);
  for (const double eta : {1.2, 0.9, 0.5, 0.1, 1e-3, 1e-9}) {
    EXPECT_NEAR(all.p_value(eta) / recent.p_value(eta), 1.0, 1e-12) << eta;
  }
}

TEST(StreamCalibration, ComesBackFromItsStateToTheBit) {
  const auto rows = stream(900, 67);
  for (const double gamma : {0.0, 0.01, 0.7}) {
    StreamCalibration before = learned(gamma, std::span(rows).first(500));
    StreamCalibration after = StreamCalibration::from_state(gamma, before.state());
    EXPECT_EQ(after, before);
    for (const double eta : std::span(rows).subspan(500)) {
      ASSERT_EQ(after.p_value(eta), before.p_value(eta));
      before.add(eta);
      after.add(eta);
    }
    EXPECT_EQ(after, before);
  }
}

TEST(StreamCalibration, FallsAsSurpriseGrowsAndStaysInItsRange) {
  for (const double gamma : {0.0, 0.02, 0.5}) {
    for (const std::size_t n : {0U, 1U, 2U, 30U, 700U}) {
      const StreamCalibration calibration = learned(gamma, stream(n, 68));
      double last = 1.0;
      for (int i = -500; i <= 2000; ++i) {
        const double p = calibration.p_value(std::exp(-0.0101 * i));
        ASSERT_GT(p, 0.0);
        ASSERT_LE(p, last * (1.0 + 1e-15)) << gamma << " " << n << " " << i;
        last = p;
      }
    }
  }
}

TEST(StreamCalibration, IsUniformUpToItsBins) {
  for (const double gamma : {0.0, 0.005}) {
    std::vector<double> p;
    StreamCalibration calibration(gamma);
    for (const double eta : exponential_rows(6000, 69)) {
      if (calibration.weight() > 100.0) p.push_back(calibration.p_value(eta));
      calibration.add(eta);
    }
    // p takes the rows of its bin as ties: 1 / (128 theta) = 2 % of those above it. The rest is chance.
    for (const double alpha : {0.01, 0.05, 0.1, 0.5, 0.9}) {
      EXPECT_NEAR(share_at_most(p, alpha), alpha, 0.004 + 0.03 * alpha) << gamma << " " << alpha;
    }
  }
}

// A sudden change is surprising at first; a fading calibration gets used to it, one of everything does not so soon.
TEST(StreamCalibration, FollowsItsMemory) {
  const auto before = exponential_rows(2000, 70);
  const auto after = similarities_of(300, 71, [](Random& r) { return 3.0 + exponential(r, 0.4); });
  StreamCalibration everything = learned(0.0, before);
  StreamCalibration fading = learned(0.02, before);
  EXPECT_LT(everything.p_value(after[0]), 0.01);
  EXPECT_LT(fading.p_value(after[0]), 0.02);
  for (const double eta : after) {
    everything.add(eta);
    fading.add(eta);
  }
  EXPECT_LT(everything.p_value(std::exp(-3.3)), 0.15);
  EXPECT_GT(fading.p_value(std::exp(-3.3)), 0.3);
}

// What is left of a row that came long ago must not make far rows look usual.
TEST(StreamCalibration, LetsOutliersFade) {
  StreamCalibration calibration(0.05);
  calibration.add(1e-7);
  const double at_first = calibration.p_value(1e-6);
  for (const double eta : exponential_rows(300, 72)) calibration.add(eta);
  EXPECT_GT(at_first, 0.9);
  EXPECT_LT(calibration.p_value(1e-6), 1e-4);
}

TEST(StreamCalibration, KnowsLittleFromFewRows) {
  EXPECT_EQ(StreamCalibration().p_value(1e-9), 1.0);
  EXPECT_EQ(StreamCalibration(0.1).p_value(1e-9), 1.0);
  const StreamCalibration equal = learned(0.0, std::vector<double>(kFewestRows, 0.5));
  EXPECT_EQ(equal.p_value(0.5), 1.0);
  EXPECT_EQ(equal.p_value(0.0), 1.0 / 21.0);
  EXPECT_EQ(learned(0.0, std::vector<double>(50, -1.0)).p_value(-2.0), 1.0);
}

// Pinned: these bits are the same on every machine, or law 1 is broken.
TEST(StreamCalibration, GivesTheseBits) {
  StreamCalibration calibration(0.01);
  for (int i = 1; i <= 500; ++i) calibration.add(0.02 * (1 + (37 * i) % 101));
  EXPECT_EQ(calibration.p_value(1.0), 0x1.01f34ff91276p-1);
  EXPECT_EQ(calibration.p_value(0.1), 0x1.d272cec180c1dp-5);
  EXPECT_EQ(calibration.p_value(1e-3), 0x1.4db31fd93939bp-11);
}

TEST(StreamCalibration, RefusesWhatCannotBeAndStaysAsItWas) {
  StreamCalibration calibration = learned(0.0, std::vector<double>{0.5, 0.5, 0.25});
  const StreamCalibration before = calibration;
  const std::string nan = "not_finite: a similarity is nan, it must be finite";
  EXPECT_EQ(complaint([&] { calibration.add(kNaN); }), nan);
  EXPECT_EQ(complaint([&] { calibration.subtract(kNaN); }), nan);
  EXPECT_EQ(complaint([&] { calibration.p_value(kNaN); }), nan);
  EXPECT_EQ(complaint([&] { calibration.subtract(0.7); }),
            "not_found: no row with a similarity like 0.7 is among the 3 rows, it cannot be taken out");
  EXPECT_EQ(calibration, before);
  StreamCalibration fading = learned(0.1, std::vector<double>{0.5});
  EXPECT_EQ(complaint([&] { fading.subtract(0.5); }),
            "invalid_argument: rows that fade cannot be taken out (gamma is 0.1)");
  EXPECT_EQ(complaint([] { StreamCalibration(1.0); }), "invalid_argument: gamma is 1; it must be in [0, 1)");
  EXPECT_EQ(complaint([] { StreamCalibration(-0.5); }), "invalid_argument: gamma is -0.5; it must be in [0, 1)");
  EXPECT_EQ(complaint([] { (void)StreamCalibration(kNaN); }), "invalid_argument: gamma is nan; it must be in [0, 1)");
}

TEST(StreamCalibration, RefusesStatesItNeverHad) {
  const auto refusal = [](double gamma, double newest, double third, std::size_t bins = SurpriseCounts::kBins) {
    StreamCalibration::State state{newest, std::vector<double>(bins)};
    state.weights[2] = third;
    return complaint([&] { StreamCalibration::from_state(gamma, state); });
  };
  EXPECT_EQ(refusal(0.0, 1.0, 7.0), "no complaint");
  EXPECT_EQ(refusal(0.1, 5.5, 7.25), "no complaint");
  EXPECT_EQ(refusal(1.5, 1.0, 7.0), "corrupt: gamma is 1.5; it must be in [0, 1)");
  EXPECT_EQ(refusal(0.0, 2.0, 7.0),
            "corrupt: the newest row of a stream weighs 2; it must weigh 1, since nothing fades");
  const std::string range = "; it must weigh 1 to 1.157920892373162e+77";
  EXPECT_EQ(refusal(0.1, 0.5, 7.0), "corrupt: the newest row of a stream weighs 0.5" + range);
  EXPECT_EQ(refusal(0.1, kNaN, 7.0), "corrupt: the newest row of a stream weighs nan" + range);
  EXPECT_EQ(refusal(0.1, 0x1p256, 7.0), "corrupt: the newest row of a stream weighs 1.157920892373162e+77" + range);
  EXPECT_EQ(refusal(0.0, 1.0, 7.0, 5), "corrupt: a stream has 5 weights of surprise, there must be 2870");
  EXPECT_EQ(refusal(0.0, 1.0, 7.5),
            "corrupt: weight 3 of a stream is 7.5; it must be a whole number in 0 to "
            "9007199254740992");
  EXPECT_EQ(refusal(0.1, 1.0, -1.0), "corrupt: weight 3 of a stream is -1; it must be in 0 to 9007199254740992");
  EXPECT_EQ(refusal(0.1, 1.0, kNaN), "corrupt: weight 3 of a stream is nan; it must be in 0 to 9007199254740992");
  StreamCalibration::State full{1.0, std::vector<double>(SurpriseCounts::kBins)};
  full.weights[2] = 0x1p53;
  full.weights[9] = 1.0;
  EXPECT_EQ(complaint([&] { StreamCalibration::from_state(0.0, full); }),
            "corrupt: weight 10 of a stream is 1; it must be a whole number in 0 to 0");
  EXPECT_EQ(refusal(0.1, 1.0, 1e16), "corrupt: weight 3 of a stream is 1e+16; it must be in 0 to 9007199254740992");
}

}  // namespace
}  // namespace expose

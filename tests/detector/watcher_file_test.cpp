// A watcher that was saved goes on with the same bits, whenever that was; and no bytes make it do anything else.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "expose/base/bytes.hpp"
#include "expose/detector/frame.hpp"
#include "expose/detector/watcher.hpp"
#include "tests/detector/streams.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

constexpr std::size_t kD = 3;

class WatcherFileOf : public EveryStream {};
EXPOSE_FOR_EVERY_STREAM(WatcherFileOf);

TEST_P(WatcherFileOf, GoesOnWithTheSameBitsWheneverItWasSaved) {
  Flow flow = normal_flow(400, kD, 1);
  flow.values[30] = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t saved_at : {0U, 1U, 11U, 256U, 257U, 258U, 350U}) {
    Watcher watcher(options());
    watcher.watch(flow.rows(0, saved_at));
    const std::vector<std::byte> bytes = to_bytes(watcher);
    Watcher restored = watcher_from_bytes(bytes);
    EXPECT_EQ(restored, watcher) << "after " << saved_at << " rows";
    EXPECT_EQ(to_bytes(restored), bytes) << "after " << saved_at << " rows";
    EXPECT_EQ(restored.watch(flow.rows(saved_at, 400)), watcher.watch(flow.rows(saved_at, 400)));
    EXPECT_EQ(restored, watcher) << "after " << saved_at << " rows";
  }
}

TEST_P(WatcherFileOf, RestoresWhatForgotAndWhatFlagsDifferently) {
  const Flow flow = normal_flow(300, kD, 2);
  Watcher watcher(plan(flow.rows(), options()), 0.05);
  watcher.watch(flow.rows());
  if (!std::holds_alternative<Fading>(options().memory)) watcher.forget(flow.rows(270, 280));
  watcher.set_alpha(0.2);
  const Watcher restored = watcher_from_bytes(to_bytes(watcher));
  EXPECT_EQ(restored, watcher);
  EXPECT_EQ(restored.judge(flow.rows()), watcher.judge(flow.rows()));
}

// The counts are of the stream at hand; nothing that is judged depends on them.
TEST_P(WatcherFileOf, CountsAnew) {
  const Flow flow = normal_flow(400, kD, 5);
  for (const std::size_t before : {100U, 300U}) {  // without a plan, and with one
    Watcher watcher(options());
    watcher.watch(flow.rows(0, before));
    Watcher anew = watcher;
    anew.count_anew();
    EXPECT_EQ(anew.seen(), 0U);
    anew = watcher_from_bytes(to_bytes(anew));
    EXPECT_EQ(anew.watch(flow.rows(before, 400)), watcher.watch(flow.rows(before, 400)));
    EXPECT_EQ(anew.seen(), 400 - before);
    EXPECT_EQ(anew.weight(), watcher.weight());
    EXPECT_EQ(watcher.seen(), 400U);
  }
}

TEST_P(WatcherFileOf, RefusesEveryTruncation) {
  const Flow flow = normal_flow(60, kD, 3);
  for (const bool planned : {false, true}) {
    Watcher watcher = planned ? Watcher(plan(flow.rows(), options())) : Watcher(options());
    watcher.watch(flow.rows());
    const std::vector<std::byte> bytes = to_bytes(watcher);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 300) {
      ASSERT_EQ(complaint([&] { watcher_from_bytes(std::span(bytes).first(size)); }).substr(0, 8), "corrupt:") << size;
    }
  }
}

// Past the checksum: bodies that were cut or changed and framed anew. They may be refused or be another watcher, but
// one that works.
TEST_P(WatcherFileOf, SurvivesEveryChange) {
  const Flow flow = normal_flow(60, kD, 4);
  for (const bool planned : {false, true}) {
    Watcher watcher = planned ? Watcher(plan(flow.rows(), options())) : Watcher(options());
    watcher.watch(flow.rows());
    const std::vector<std::byte> bytes = to_bytes(watcher);
    const Framed framed = unframe(bytes);
    const std::size_t step = 1 + framed.body.size() / 400;
    for (std::size_t at = 0; at < framed.body.size(); at += step) {
      const std::vector<std::byte> cut = frame(FileKind::watcher, framed.version, "{}", framed.body.first(at));
      ASSERT_EQ(complaint([&] { watcher_from_bytes(cut); }).substr(0, 8), "corrupt:") << "cut at " << at;
      std::vector<std::byte> body(framed.body.begin(), framed.body.end());
      body[at] ^= std::byte{static_cast<unsigned char>(1U << (at % 8))};
      const std::vector<std::byte> flipped = frame(FileKind::watcher, framed.version, "{}", body);
      const std::string outcome = complaint([&] {
        Watcher other = watcher_from_bytes(flipped);
        EXPECT_EQ(to_bytes(other), to_bytes(watcher_from_bytes(to_bytes(other))));
        other.judge(flow.rows(0, 2));
        other.watch(flow.rows(0, 2));
      });
      ASSERT_TRUE(outcome == "no complaint" || outcome.starts_with("corrupt:") ||
                  outcome.starts_with("shape_mismatch: rows have 3 columns, the first row had "))
          << "flipped at " << at << ": " << outcome;
    }
  }
}

TEST(WatcherFile, KeepsEveryOptionUntilThereIsAPlan) {
  const Options options{.kernel = Matern32{},
                        .bandwidth = 2.5,
                        .map = MapKind::fastfood,
                        .r = 99,
                        .scale = Scale::zscore,
                        .memory = Fading{0.1 + 0.2},
                        .trim = 0.0,
                        .missing = Missing::integrate,
                        .alpha = 0.03,
                        .seed = 7,
                        .threads = 2,
                        .preset = Preset::paper};
  const Watcher watcher(options);
  EXPECT_EQ(watcher_from_bytes(to_bytes(watcher)), watcher);
  EXPECT_NE(watcher_from_bytes(to_bytes(Watcher(Options{}))), watcher);
}

TEST(WatcherFile, LiesOnDisk) {
  const std::string path = testing::TempDir() + "expose_watcher_file_test.expose";
  Watcher watcher(Options{.r = 40, .memory = Window{50}});
  watcher.watch(normal_flow(300, kD, 5).rows());
  save(watcher, path);
  EXPECT_EQ(load_watcher(path), watcher);
  std::filesystem::remove(path);
  EXPECT_EQ(complaint([&] { load_watcher(path); }).substr(0, 3), "io:");
}

TEST(WatcherFile, RefusesWhatIsNoWatcher) {
  const std::vector<std::byte> detector = frame(FileKind::detector, 1, "{}", {});
  EXPECT_EQ(complaint([&] { watcher_from_bytes(detector); }),
            "incompatible: this is the file of a detector, not of a watcher");
  std::vector<std::byte> bytes = to_bytes(Watcher());
  bytes[bytes.size() - 20] ^= std::byte{1};
  EXPECT_EQ(complaint([&] { watcher_from_bytes(bytes); }).substr(0, 28), "corrupt: this file is damage");
}

}  // namespace
}  // namespace expose

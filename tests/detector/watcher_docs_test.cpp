// The program of docs/streams.md, as it stands there.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "expose/detector/watcher.hpp"
#include "tests/detector/streams.hpp"

namespace expose {
namespace {

TEST(WatcherDocs, TheExample) {
  std::vector<std::size_t> alarms;
  const auto raise_alarm = [&](std::size_t t, const Verdict&) { alarms.push_back(t); };
  Flow flow = normal_flow(2000, 2, 1);
  flow.values[2 * 1500] = flow.values[2 * 1500 + 1] = 30.0;
  const std::string path = testing::TempDir() + "expose_watcher_docs_test.expose";

  Watcher watcher(Options{.memory = Fading{0.01}});
  for (std::size_t t = 0; t < flow.n(); ++t) {
    const Verdict now = watcher.watch(flow[t]);  // judged by the rows before it, then learned
    if (now.anomalous) raise_alarm(t, now);
  }
  save(watcher, path);                    // tonight
  Watcher tomorrow = load_watcher(path);  // goes on with the same bits

  EXPECT_EQ(tomorrow, watcher);
  EXPECT_TRUE(std::ranges::count(alarms, 1500U) == 1);
  EXPECT_LT(alarms.size(), 30U);
}

}  // namespace
}  // namespace expose

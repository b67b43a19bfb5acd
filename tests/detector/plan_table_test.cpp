// A plan knows the table that its numbers come from: in its words, its fingerprint and its files.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "expose/detector/frame.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/tune.hpp"
#include "expose/detector/watcher.hpp"
#include "tests/detector/streams.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/models.hpp"

namespace expose {
namespace {

// Three numbers a row, as small_table() has.
std::vector<Column> some_columns() {
  return {{.name = "key", .role = Role::id},
          {.name = "amount"},
          {.name = "country", .role = Role::category, .levels = {"DE"}, .rare = {"SE", "US"}},
          {.name = "note", .role = Role::ignored}};
}

Options options_with(std::vector<Column> columns) {
  Options options = small_options();
  options.table = Columns(std::move(columns));
  return options;
}

std::uint64_t fingerprint_with(const std::function<void(std::vector<Column>&)>& change) {
  std::vector<Column> columns = some_columns();
  change(columns);
  return small_plan(options_with(columns)).fingerprint();
}

TEST(PlanTable, IsInThePlan) {
  const Options options = options_with(some_columns());
  EXPECT_EQ(small_plan(options).table(), options.table);
  EXPECT_EQ(fit(small_table().rows(), options).plan().table(), options.table);
  EXPECT_FALSE(small_plan().table().has_value());
}

TEST(PlanTable, MustHaveTheWidthOfTheRows) {
  EXPECT_EQ(complaint([] { plan(small_table().rows(), {.table = Columns::numbers(5)}); }),
            "shape_mismatch: rows have 3 numbers, the table gives 5");
  EXPECT_EQ(complaint([] { plan(small_table().rows(), {.table = Columns()}); }),
            "invalid_argument: the table has no column that becomes a number");
  Plan::Parts parts = small_plan().parts();
  parts.table = Columns::numbers(2);
  EXPECT_EQ(complaint([&] { Plan made(parts); }), "incompatible: the table has 2 numbers a row, the scaler takes 3");
}

TEST(PlanTable, IsInTheFingerprintAsFarAsItDecidesNumbers) {
  const std::uint64_t start = fingerprint_with([](auto&) {});
  EXPECT_NE(start, small_plan().fingerprint());
  const std::vector<std::function<void(std::vector<Column>&)>> that_count = {
      [](auto& c) { c[1].name = "sum"; },
      [](auto& c) { c[2].name = "land"; },
      [](auto& c) { c[2].levels = {"FR"}; },
      [](auto& c) { c[2].rare = {"SE"}; },
      [](auto& c) {
        c[2].rare = {};
        c[2].open = true;
      },
      [](auto& c) { std::swap(c[1], c[2]); },
      [](auto& c) { c = Columns::numbers(3).all(); },
  };
  for (std::size_t i = 0; i < that_count.size(); ++i) EXPECT_NE(fingerprint_with(that_count[i]), start) << i;
  EXPECT_EQ(fingerprint_with([](auto& c) { c[0].name = "id"; }), start);
  EXPECT_EQ(fingerprint_with([](auto& c) { c[0].role = Role::label; }), start);
  EXPECT_EQ(fingerprint_with([](auto& c) { c.pop_back(); }), start);
  EXPECT_EQ(fingerprint_with([](auto& c) { std::swap(c[0], c[3]); }), start);
}

TEST(PlanTable, ModelsMergeThatDifferInOtherColumnsOnly) {
  std::vector<Column> others = some_columns();
  others[0].name = "other";
  Detector a = small_detector(options_with(some_columns()));
  const Detector b = small_detector(options_with(others));
  a.merge(b);
  EXPECT_EQ(a.weight(), 2 * b.weight());
}

TEST(PlanTable, IsSaidByName) {
  const Plan made = small_plan(options_with(some_columns()));
  EXPECT_EQ(made.summary().substr(0, 46), "2 of 3 numbers (amount, country), scale robust");
  EXPECT_TRUE(
      made.description().starts_with("columns       2 of 3 numbers (the others are constant)\n"
                                     "table         amount, country\n"
                                     "scale         robust\n"))
      << made.description();
  const Plan many = plan(normal_table(50, 20, 1).rows(), {.table = Columns::numbers(20)});
  EXPECT_EQ(many.summary().substr(0, 55), "20 numbers (column_1, column_2, column_3 and 17 more), ");
  EXPECT_NE(many.description().find("column_7, column_8 and 12 more\n"), std::string::npos);
}

TEST(PlanTable, TuningKeepsIt) {
  Options start = options_with(some_columns());
  const Table table = small_table(40);
  std::vector<Label> labels(40, Label::normal);
  labels[3] = labels[17] = labels[30] = Label::anomaly;
  const Tuned tuned = tune(table.rows(), labels, start);
  EXPECT_EQ(tuned.options.table, start.table);
  for (const auto& trial : tuned.trials) EXPECT_EQ(trial.options.table, start.table);
}

class PlanTableFile : public testing::TestWithParam<Missing> {};
INSTANTIATE_TEST_SUITE_P(Missing, PlanTableFile, testing::Values(Missing::integrate, Missing::reject));

TEST_P(PlanTableFile, KeepsIt) {
  Options options = options_with(some_columns());
  options.missing = GetParam();
  const Detector detector = small_detector(options);
  const std::vector<std::byte> bytes = to_bytes(detector);
  EXPECT_EQ(unframe(bytes).version, 3U);
  const Detector loaded = detector_from_bytes(bytes, 1);
  EXPECT_EQ(loaded, detector);
  EXPECT_EQ(loaded.plan().table(), options.table);
  EXPECT_EQ(loaded.plan().missing(), GetParam());
  EXPECT_EQ(to_bytes(loaded), bytes);
  const auto header = unframe(bytes).header;
  const std::string text(reinterpret_cast<const char*>(header.data()), header.size());
  EXPECT_NE(text.find(R"(
  "columns": [
    {"name": "key", "role": "id"},
    {"name": "amount", "role": "number"},
    {"name": "country", "role": "category", "levels": 1},
    {"name": "note", "role": "ignored"}
  ]
})"),
            std::string::npos)
      << text;
}

TEST_P(PlanTableFile, OfAWatcherKeepsItBeforeAndAfterThereIsAPlan) {
  Options options = options_with(some_columns());
  options.missing = GetParam();
  options.memory = Window{100};
  options.map = MapKind::fourier;
  const Flow flow = normal_flow(300, 3, 1);
  Watcher watcher(options);
  EXPECT_EQ(complaint([&] { watcher.watch(normal_flow(1, 2, 1).rows()); }),
            "shape_mismatch: rows have 2 columns, the table gives 3");
  for (const std::size_t rows : {0U, 100U, 200U}) {
    watcher.watch(flow.rows(rows, rows + 100));
    const std::vector<std::byte> bytes = to_bytes(watcher);
    EXPECT_EQ(unframe(bytes).version, 3U);
    EXPECT_EQ(watcher_from_bytes(bytes), watcher);
    EXPECT_EQ(watcher_from_bytes(bytes).table(), options.table);
    EXPECT_EQ(to_bytes(watcher_from_bytes(bytes)), bytes);
  }
  EXPECT_EQ(watcher.plan().table(), options.table);
  EXPECT_EQ(watcher_from_bytes(to_bytes(watcher)).plan().table(), options.table);
}

// Past the checksum: every byte of the plan and of the options changed, and every cut.
TEST_P(PlanTableFile, SurvivesEveryChange) {
  Options options = options_with(some_columns());
  options.missing = GetParam();
  Watcher waiting(options);
  waiting.watch(normal_flow(5, 3, 1).rows());
  for (const std::vector<std::byte>& bytes : {to_bytes(small_detector(options)), to_bytes(waiting)}) {
    const Framed framed = unframe(bytes);
    const auto offer = [&](std::span<const std::byte> body) {
      const std::vector<std::byte> file = frame(framed.kind, 3, "{}", body);
      return complaint([&] {
        if (framed.kind == FileKind::detector) {
          detector_from_bytes(file, 1);
        } else {
          watcher_from_bytes(file);
        }
      });
    };
    for (std::size_t at = 0; at < framed.body.size(); at += framed.kind == FileKind::watcher ? 1 : 5) {
      ASSERT_TRUE(offer(framed.body.first(at)).starts_with("corrupt:")) << "cut at " << at;
      std::vector<std::byte> body(framed.body.begin(), framed.body.end());
      body[at] ^= std::byte{static_cast<unsigned char>(1U << (at % 8))};
      const std::string outcome = offer(body);
      ASSERT_TRUE(outcome == "no complaint" || outcome.starts_with("corrupt:")) << "flipped at " << at << outcome;
    }
  }
}

}  // namespace
}  // namespace expose

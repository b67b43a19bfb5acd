// Bodies of model files with one wrong number each, in frames without fault: what a checksum cannot see.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/detector/frame.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/plan_file.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

// A small model, written by hand.
struct Body {
  std::string scale = "none";
  std::uint64_t inputs = 2;
  std::uint32_t kept = 0;
  std::vector<double> centre = {0.0}, spread = {1.0};
  std::string map = "fourier";
  std::uint64_t d = 1, r = 2;
  std::string kernel = "gaussian";
  double bandwidth = 1.0;
  std::vector<float> landmarks = {};
  std::string memory = "everything";
  std::uint8_t gate = 1;
  double gate_threshold = 0.5;
  AlignedVector<std::int64_t> gate_sums = {0, 0, 0, 0};
  double trim = 0.2;
  std::vector<std::uint64_t> frequent = {100, 200};
  std::int64_t planned_on = 10;
  std::uint8_t first_rows_only = 0;
  std::string missing = "integrate";
  std::vector<float> unknown_mean = {0.0F}, unknown_variance = {1.0F};
  std::uint8_t table = 1;
  std::string name = "amount";
  std::uint8_t role = 0;
  std::int64_t weight = 3, units = 1;
  AlignedVector<std::int64_t> sums = {1, 2, 3, 4};
  std::int64_t turned_away = 0;
  std::uint64_t hash = 50;  // of the one row in the calibration sample
  float value = 1.0F;
  std::int64_t count = 1024;
  std::uint64_t frequent_ceiling = BottomRows<float>::kNoCeiling, frequent_rows = 0;
  std::string threshold = "alpha";
  double share = 0.01;
  std::string after = "";

  void write_plan(Writer& writer) const {
    writer.text(scale);
    writer.u64(inputs);
    writer.u64(1);
    writer.u32(kept);
    writer.f64s(centre);
    writer.f64s(spread);
    writer.text(map);
    writer.u64(d);
    writer.u64(r);
    writer.text(kernel);
    writer.f64(bandwidth);
    writer.u64(7);
    writer.f32s(landmarks);
    writer.text(memory);
    writer.u8(gate);
    writer.f64(gate_threshold);
    write_mean(writer, {3, 1, gate_sums});
    writer.f64(trim);
    writer.u64(7);
    writer.u64(frequent.size());
    for (const std::uint64_t row : frequent) writer.u64(row);
    writer.i64(planned_on);
    writer.u8(first_rows_only);
    writer.text(missing);
    if (missing != "reject") {
      writer.f32s(unknown_mean);
      writer.f32s(unknown_variance);
    }
    writer.u8(table);
    if (table == 0) return;
    writer.u64(2);  // columns: the one below, and a number
    writer.text(name);
    writer.u8(role);
    writer.text("count");
    writer.u8(0);
  }
  void write_state(Writer& writer) const {
    write_mean(writer, {weight, units, sums});
    writer.i64(turned_away);
    writer.u64(1000);  // the ceiling
    writer.u64(1);
    writer.u64(hash);
    writer.i64(count);
    writer.f32(value);
    writer.u64(frequent_ceiling);
    writer.u64(frequent_rows);
    writer.text(threshold);
    writer.f64(share);
    writer.raw(std::as_bytes(std::span(after)));
  }
  // Plan and state behind the right fingerprint, or behind 0 where there is no plan to have one.
  std::vector<std::byte> file() const {
    Writer content;
    write_plan(content);
    write_state(content);
    Writer body;
    try {
      Reader reader(content.bytes());
      body.u64(Plan(read_parts(reader, 3)).fingerprint());
    } catch (const Error&) {
      body.u64(0);
    }
    body.raw(content.bytes());
    return frame(FileKind::detector, 3, "", body.bytes());
  }
};

std::string refusal(const Body& body) {
  return complaint([&] { detector_from_bytes(body.file(), 1); });
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ModelFileBody, WrittenByHandIsAModel) {
  const Body body;
  EXPECT_EQ(refusal(body), "no complaint");
  EXPECT_EQ(detector_from_bytes(body.file(), 1).weight(), 3.0);
}

TEST(ModelFileBody, RefusesBadFiguresForMissingValues) {
  EXPECT_EQ(refusal({.missing = "guess"}),
            "corrupt: missing values cannot be treated by 'guess'; it may be integrate or reject");
  EXPECT_EQ(refusal({.unknown_mean = {}}),
            "corrupt: a plan of 1 columns has 0 means and 1 variances for missing values");
  EXPECT_EQ(refusal({.unknown_variance = {-1.0F}}),
            "corrupt: a mean for missing values is not finite, or a variance is below 0");
  EXPECT_EQ(refusal({.unknown_mean = {std::numeric_limits<float>::infinity()}}),
            "corrupt: a mean for missing values is not finite, or a variance is below 0");
  // The one value that the calibration row has.
  EXPECT_EQ(refusal({.value = std::numeric_limits<float>::quiet_NaN()}),
            "corrupt: row 0000000000000032 of a sample is not finite");
}

TEST(ModelFileBody, RefusesTablesThatCannotBe) {
  EXPECT_EQ(refusal({.table = 0}), "no complaint");
  EXPECT_EQ(refusal({.table = 2}), "corrupt: a yes or no is 1 or 0, this one is 2");
  EXPECT_EQ(refusal({.name = ""}), "corrupt: a column has an empty name");
  EXPECT_EQ(refusal({.name = "count"}), "corrupt: there are two columns 'count'");
  EXPECT_EQ(refusal({.role = 6}), "corrupt: a role is 0 to 5, the one of column 'amount' is 6");
  EXPECT_EQ(refusal({.role = 3}), "corrupt: the table has 1 numbers a row, the scaler takes 2");
}

TEST(ModelFileBody, RefusesAnotherFingerprint) {
  Writer body;
  body.u64(1);
  Body().write_plan(body);
  Body().write_state(body);
  const std::string sentence =
      complaint([&] { detector_from_bytes(frame(FileKind::detector, 3, "", body.bytes()), 1); });
  EXPECT_TRUE(sentence.starts_with("corrupt: the plan has the fingerprint ")) << sentence;
  EXPECT_TRUE(sentence.ends_with(", the file says 0000000000000001")) << sentence;
}

TEST(ModelFileBody, RefusesPlansThatCannotBe) {
  EXPECT_EQ(refusal({.scale = "square"}), "corrupt: there is no scale 'square'; it may be robust, zscore or none");
  EXPECT_EQ(refusal({.kept = 2}), "corrupt: a scaler of 2 columns keeps column 2, counted from 0");
  EXPECT_EQ(refusal({.spread = {0.0}}), "corrupt: the spread of column 0 is no normal number above 0");
  EXPECT_EQ(refusal({.map = "flat"}),
            "corrupt: there is no map 'flat'; it may be fourier, sorf, fastfood, nystrom or "
            "isolation");
  EXPECT_EQ(refusal({.d = 2}), "corrupt: the scaler gives 1 columns, the map takes 2");
  EXPECT_EQ(refusal({.landmarks = {1.0F}}),
            "corrupt: only nystrom, isolation and given have landmarks, the map is fourier");
  EXPECT_EQ(refusal({.memory = "window:5"}),
            "corrupt: a Detector remembers everything; for the memory window:5 take a Watcher");
  EXPECT_EQ(refusal({.gate = 2}), "corrupt: a yes or no is 1 or 0, this one is 2");
  EXPECT_EQ(refusal({.gate_threshold = kNan}), "corrupt: the threshold of a gate is nan");
  EXPECT_EQ(refusal({.gate_sums = {0, 0, 0}}), "corrupt: a mean has 3 sums, its map has 4 features");
  EXPECT_EQ(refusal({.trim = 1.0}), "corrupt: trim is a share from 0 to below 1, it is 1");
  EXPECT_EQ(refusal({.frequent = {200, 100}}), "corrupt: the frequent rows of a plan are not in order");
  EXPECT_EQ(refusal({.planned_on = -1}), "corrupt: a plan was made on -1 rows");
}

// Nothing is allocated for these: the numbers would ask for terabytes.
TEST(ModelFileBody, RefusesMapsThatTheFileIsTooSmallFor) {
  EXPECT_EQ(refusal({.r = 1000}), "corrupt: the map has 2000 features, what follows has room for 41 sums");
  EXPECT_EQ(refusal({.r = std::uint64_t{1} << 40}),
            "corrupt: a fourier map in a file has r of at most 16777216, this one of 1099511627776");
  EXPECT_EQ(refusal({.d = std::uint64_t{1} << 40}),
            "corrupt: a fourier map in a file has d of at most 1048576, this one of 1099511627776");
  EXPECT_EQ(refusal({.d = 1 << 20, .r = 1 << 20}),
            "corrupt: a fourier map in a file has r x d of at most 268435456, this one of 1099511627776");
  EXPECT_EQ(refusal({.map = "nystrom", .r = 20000}),
            "corrupt: a nystrom map in a file has r of at most 4096, this one of 20000");
}

// Any number of landmarks makes partitions, if their coordinates are there.
TEST(ModelFileBody, IsolationNeedsItsLandmarks) {
  Body body{.map = "isolation", .r = 4, .landmarks = {1.0F, 2.0F, 3.0F, 4.0F}, .missing = "reject"};
  EXPECT_EQ(refusal(body), "no complaint");
  body.landmarks.pop_back();
  EXPECT_EQ(refusal(body), "corrupt: isolation needs r x d = 4 x 1 numbers for its landmarks, it was given 3");
  body.landmarks = {1.0F, 2.0F, std::numeric_limits<float>::infinity(), 4.0F};
  EXPECT_EQ(refusal(body), "corrupt: row 3, column 1 is inf");
  EXPECT_EQ(refusal({.map = "isolation", .r = 5, .landmarks = {1, 2, 3, 4, 5}}),
            "corrupt: a mean has 4 sums, its map has 5 features");
}

TEST(ModelFileBody, RefusesStatesThatCannotBe) {
  EXPECT_EQ(refusal({.sums = {1, 2, 3, 1 << 26}}),
            "corrupt: sum 4 of a mean is 67108864; at weight 3 its size is at most 12595200");
  EXPECT_EQ(refusal({.weight = -1}), "corrupt: a mean weighs -1 units; it can weigh 0 to 1099511627776");
  EXPECT_EQ(refusal({.units = 5}), "corrupt: a mean has 5 units a weight; it can have 1 or 1024");
  EXPECT_EQ(refusal({.turned_away = -1}),
            "corrupt: the rows turned away weigh -1 units; they can weigh 0 to 1125899906842624");
  EXPECT_EQ(refusal({.hash = 100}), "corrupt: row 0000000000000064 is frequent, it stands among the others");
  EXPECT_EQ(refusal({.value = static_cast<float>(kNan)}), "corrupt: row 0000000000000032 of a sample is not finite");
  EXPECT_EQ(refusal({.weight = 0, .sums = {0, 0, 0, 0}}),
            "corrupt: a model that weighs nothing has 1 rows in its samples");
  EXPECT_EQ(refusal({.count = 0}), "corrupt: at byte 406: row 0000000000000032 is there 0 times");
  EXPECT_EQ(refusal({.frequent_ceiling = 5}), "corrupt: a frequent row was lost");
  EXPECT_TRUE(refusal({.frequent_rows = 9}).starts_with("corrupt: at byte "));
  EXPECT_EQ(refusal({.threshold = "gamma"}), "corrupt: there is no threshold 'gamma'");
  EXPECT_TRUE(refusal({.share = 2.0}).starts_with("corrupt: "));
}

TEST(ModelFileBody, RefusesBytesAfterItsEnd) {
  const std::string sentence = refusal({.after = "more"});
  EXPECT_TRUE(sentence.starts_with("corrupt: the body ends at byte ")) << sentence;
  EXPECT_TRUE(sentence.ends_with(", 4 bytes follow")) << sentence;
}

}  // namespace
}  // namespace expose

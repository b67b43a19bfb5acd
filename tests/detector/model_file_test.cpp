#include "expose/detector/model_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "expose/detector/frame.hpp"
#include "tests/support/models.hpp"

namespace expose {
namespace {

using Bytes = std::vector<std::byte>;

// Loaded it is the same detector, says the same about new rows, and is saved as the same bytes.
void expect_round_trip(const Detector& detector) {
  const Bytes bytes = to_bytes(detector);
  const Detector loaded = detector_from_bytes(bytes, 1);
  EXPECT_EQ(loaded, detector);
  EXPECT_EQ(to_bytes(loaded), bytes);
  const Table fresh = small_table(20, 2);
  EXPECT_EQ(loaded.judge(fresh.rows()), detector.judge(fresh.rows()));
  EXPECT_EQ(loaded.plan().description(), detector.plan().description());
}

class ModelFileOf : public testing::TestWithParam<std::tuple<MapKind, std::string>> {};

TEST_P(ModelFileOf, ComesBackAsItWas) {
  const auto& [kind, kernel] = GetParam();
  expect_round_trip(small_detector(small_options(kind, kernel_named(kernel, 0))));
}

std::vector<std::tuple<MapKind, std::string>> maps() {
  std::vector<std::tuple<MapKind, std::string>> maps;
  for (const char* kernel : {"gaussian", "laplacian", "matern32", "matern52"}) {
    for (const MapKind kind : {MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::nystrom}) {
      const bool structured = kind == MapKind::sorf || kind == MapKind::fastfood;
      if (!structured || rotation_invariant(kernel_named(kernel, 1))) maps.emplace_back(kind, kernel);
    }
  }
  maps.emplace_back(MapKind::isolation, "gaussian");
  return maps;
}

INSTANTIATE_TEST_SUITE_P(Maps, ModelFileOf, testing::ValuesIn(maps()),
                         [](const auto& map) { return name(std::get<0>(map.param)) + "_" + std::get<1>(map.param); });

TEST(ModelFile, KeepsAnEmptyDetector) { expect_round_trip(Detector(small_plan(), 1)); }

TEST(ModelFile, KeepsAPlanWithoutGate) {
  Options options = small_options();
  options.trim = 0;
  expect_round_trip(small_detector(options));
}

TEST(ModelFile, KeepsEveryScale) {
  for (const Scale scale : {Scale::robust, Scale::zscore, Scale::none}) {
    Options options = small_options();
    options.scale = scale;
    expect_round_trip(small_detector(options));
  }
}

TEST(ModelFile, KeepsWhatWasPlannedOnFirstRowsOnly) {
  Plan::Parts parts = small_plan().parts();
  parts.first_rows_only = true;
  expect_round_trip(Detector(Plan(parts), 1));
}

TEST(ModelFile, KeepsFractionalWeights) {
  Detector detector(small_plan(), 1);
  detector.learn(small_table().rows(), std::vector<double>(60, 0.3));
  expect_round_trip(detector);
}

TEST(ModelFile, KeepsEveryThreshold) {
  Detector detector = small_detector();
  for (const Threshold& threshold :
       {Threshold(Alpha{0.02}), Threshold(Fdr{0.1}), Threshold(Contamination{0.3}), Threshold(Top{3})}) {
    detector.set_threshold(threshold);
    EXPECT_EQ(detector_from_bytes(to_bytes(detector), 1).threshold(), threshold);
    expect_round_trip(detector);
  }
}

TEST(ModelFile, LearnsOnAfterLoading) {
  Detector once = small_detector();
  Detector twice = detector_from_bytes(to_bytes(small_detector()), 1);
  const Table more = small_table(30, 3);
  once.learn(more.rows());
  twice.learn(more.rows());
  EXPECT_EQ(to_bytes(twice), to_bytes(once));
}

// Law 1 in bytes: how the rows came does not show in the file.
class ModelFileLaw : public EveryMap {
 protected:
  Detector empty() const { return Detector(small_plan(small_options(GetParam())), 1); }
};

TEST_P(ModelFileLaw, MergedPartsEqualTheWhole) {
  const Table table = small_table(100, 4);
  Detector whole = empty(), a = empty(), b = empty();
  whole.learn(table.rows());
  a.learn(table.rows().slice(0, 37));
  b.learn(table.rows().slice(37, 100));
  EXPECT_EQ(to_bytes(a + b), to_bytes(whole));
  EXPECT_EQ(to_bytes(b + a), to_bytes(whole));
}

TEST_P(ModelFileLaw, FitOnShuffledRowsGivesTheSameFile) {
  const Table table = small_table(100, 4);
  const Table mixed = pick(table, shuffled(100, 9));
  Options many = small_options(GetParam());
  many.threads = 3;
  EXPECT_EQ(to_bytes(fit(mixed.rows(), many)), to_bytes(fit(table.rows(), small_options(GetParam()))));
}

TEST_P(ModelFileLaw, WholeWeightsAreRepetitions) {
  const Table table = small_table(50, 4);
  Detector weighted = empty(), repeated = empty();
  weighted.learn(table.rows(), std::vector<double>(50, 2.0));
  repeated.learn(table.rows());
  repeated.learn(table.rows());
  EXPECT_EQ(to_bytes(weighted), to_bytes(repeated));
}

TEST_P(ModelFileLaw, EqualDetectorsHaveEqualBytes) {
  const Table table = small_table(50, 4);
  Detector halves = empty(), whole = empty();
  halves.learn(table.rows(), std::vector<double>(50, 0.5));
  halves.learn(table.rows(), std::vector<double>(50, 0.5));
  whole.learn(table.rows());
  ASSERT_EQ(halves, whole);
  EXPECT_EQ(to_bytes(halves), to_bytes(whole));
}

EXPOSE_FOR_EVERY_MAP(ModelFileLaw);

TEST(ModelFile, ForgottenRowsLeaveNoTrace) {
  Detector detector = small_detector();
  const Table more = small_table(30, 3);
  detector.learn(more.rows());
  detector.forget(more.rows());
  EXPECT_EQ(to_bytes(detector), to_bytes(small_detector()));
}

TEST(ModelFile, HasAHeaderForPeople) {
  const Bytes bytes = to_bytes(small_detector());
  const auto header = unframe(bytes).header;
  const std::string text(reinterpret_cast<const char*>(header.data()), header.size());
  for (const char* line :
       {"\n  \"kind\": \"detector\",\n", "\n  \"weight\": 60,\n", "\n    \"alpha\": 0.01\n", "\n    \"columns\": 3,\n",
        "\n    \"kept_columns\": [0, 2],\n", "\n    \"scale\": \"robust\",\n", "\n    \"map\": \"nystrom\",\n",
        "\n    \"r\": 10,\n", "\n    \"memory\": \"everything\",\n", "\n    \"seed\": 5,\n",
        "\n    \"planned_on\": 60,\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(ModelFile, IsSmallForRandomMaps) {
  Options options = small_options(MapKind::fourier);
  options.r = 512;
  options.trim = 0;
  const Table table = normal_table(10, 200, 1);
  const std::size_t sums = 2 * 512 * 8, rows = 10 * (16 + 200 * 4), scaler = 200 * (4 + 8 + 8);
  EXPECT_LT(to_bytes(fit(table.rows(), options)).size(), sums + rows + scaler + 4096);  // 512 x 200 frequencies: not in
}

}  // namespace
}  // namespace expose

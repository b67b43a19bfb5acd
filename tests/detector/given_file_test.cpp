// Models of a kernel that only the caller knows, as files: they are models like all others, and what no kernel gives is
// refused when it is read.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/frame.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/plan_file.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/given.hpp"

namespace expose {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kR = 12;

const Table& landmarks() {
  static const Table kLandmarks = normal_table(kR, 3, 1);
  return kLandmarks;
}

Table seen(std::size_t n, std::uint64_t seed, double shift = 0.0) {
  return kernel_rows(normal_table(n, 3, seed, shift), landmarks());
}

Plan given_plan() {
  return plan_given(kernel_rows(landmarks(), landmarks()).rows(), seen(200, 2).rows(), Options{.threads = 1}, 200);
}

Detector learned_from(const Plan& plan, const Table& rows) {
  Detector detector(plan, 1);
  detector.learn(rows.rows());
  return detector;
}

TEST(GivenFile, IsLoadedAsItWasSaved) {
  const Detector detector = learned_from(given_plan(), seen(300, 3));
  const Bytes file = to_bytes(detector);
  EXPECT_EQ(unframe(file).version, 1U) << "it has nothing that the first version has no room for";
  const Detector again = detector_from_bytes(file, 1);
  EXPECT_EQ(again, detector);
  EXPECT_EQ(to_bytes(again), file);
  EXPECT_EQ(again.plan().map()->recipe(), detector.plan().map()->recipe());
  const Table rows = seen(20, 4, 2.0);
  const std::vector<Verdict> before = detector.judge(rows.rows()), after = again.judge(rows.rows());
  for (std::size_t i = 0; i < rows.n(); ++i) {
    EXPECT_EQ(after[i].similarity, before[i].similarity);
    EXPECT_EQ(after[i].p_value, before[i].p_value);
  }
  EXPECT_LT(before[0].similarity, detector.judge(seen(1, 5).rows())[0].similarity);
}

TEST(GivenFile, IsMergedAfterItWasLoaded) {
  const Plan plan = given_plan();
  const Table all = seen(300, 3);
  const Detector whole = learned_from(plan, all);
  Detector part =
      detector_from_bytes(to_bytes(learned_from(plan, {{all.values.begin(), all.values.begin() + 100 * kR}, kR})), 1);
  const Detector rest =
      detector_from_bytes(to_bytes(learned_from(plan, {{all.values.begin() + 100 * kR, all.values.end()}, kR})), 1);
  part.merge(rest);
  EXPECT_EQ(part, whole);
  EXPECT_EQ(to_bytes(part), to_bytes(whole));
}

TEST(GivenFile, IsComparedAfterItWasLoaded) {
  const Plan plan = given_plan();
  const auto stored = [&](const Table& rows) { return detector_from_bytes(to_bytes(learned_from(plan, rows)), 1); };
  for (const std::size_t n : {150, 1500}) {  // by the rows that are kept; by the means
    const Detector a = stored(seen(n, 3)), same = stored(seen(n, 4)), moved = stored(seen(n, 5, 1.0));
    EXPECT_EQ(drift(a, moved), drift(learned_from(plan, seen(n, 3)), learned_from(plan, seen(n, 5, 1.0))));
    EXPECT_GT(drift(a, same).p_value, 0.01) << n;
    EXPECT_LT(drift(a, moved).p_value, 1e-3) << n;
    EXPECT_EQ(drift(a, moved).features, std::vector<double>(kR, 0.0)) << "columns are landmarks";
  }
}

// A body whose plan begins with the scaler of d columns, as it is, and this map. What follows is good.
struct GivenBody {
  std::uint64_t d = 2, r = 2;
  std::vector<float> matrix = {1.0F, 0.5F, 0.5F, 1.0F};
  std::string missing = "reject";
  float value = 0.5F;  // of the one row in the calibration sample

  Bytes file() const {
    Writer plan;
    plan.text("none");
    plan.u64(d);
    plan.u64(d);
    for (std::uint32_t k = 0; k < d; ++k) plan.u32(k);
    plan.f64s(std::vector<double>(d, 0.0));
    plan.f64s(std::vector<double>(d, 1.0));
    plan.text("given");
    plan.u64(d);
    plan.u64(r);
    plan.text("gaussian");
    plan.f64(1.0);
    plan.u64(0);
    plan.f32s(matrix);
    plan.text("everything");
    plan.u8(0);
    plan.f64(0.0);
    plan.u64(7);
    plan.u64(0);
    plan.i64(10);
    plan.u8(0);
    plan.text(missing);
    if (missing == "integrate") {
      plan.f32s(std::vector<float>(d, 0.0F));
      plan.f32s(std::vector<float>(d, 1.0F));
    }
    write_state(plan);
    Writer body;
    try {
      Reader reader(plan.bytes());
      body.u64(Plan(read_parts(reader, 2)).fingerprint());
    } catch (const Error&) {
      body.u64(0);
    }
    body.raw(plan.bytes());
    return frame(FileKind::detector, 2, "", body.bytes());
  }

 private:
  void write_state(Writer& writer) const {
    write_mean(writer, {3, 1, AlignedVector<std::int64_t>(r, 1)});
    writer.i64(0);
    writer.u64(1000);  // the ceiling
    writer.u64(1);
    writer.u64(50);
    writer.i64(1024);
    for (std::uint64_t k = 0; k < d; ++k) writer.f32(value);
    writer.u64(BottomRows<float>::kNoCeiling);
    writer.u64(0);
    writer.text("alpha");
    writer.f64(0.01);
  }
};

std::string refusal(const GivenBody& body) {
  return complaint([&] { detector_from_bytes(body.file(), 1); });
}

TEST(GivenFile, WrittenByHandIsAModel) {
  EXPECT_EQ(refusal({}), "no complaint");
  EXPECT_EQ(detector_from_bytes(GivenBody().file(), 1).weight(), 3.0);
}

TEST(GivenFile, RefusesWhatNoKernelGives) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal({.matrix = {1, 0.5F, 0.2F, 1}}),
            "corrupt: a kernel is symmetric, the matrix of the landmarks is not");
  EXPECT_EQ(refusal({.matrix = {1, kNan, kNan, 1}}), "corrupt: row 1, column 2 is nan");
  EXPECT_EQ(refusal({.matrix = {1, 0.5F, 0.5F, 0.75F}}),
            "corrupt: a given kernel has k(x, x) = 1, for landmark 2 it is 0.75; divide by sqrt(k(x, x) k(z, z))");
  EXPECT_EQ(refusal({.matrix = {1, 2, 2, 1}}),
            "corrupt: a kernel with k(x, x) = 1 has values from -1 to 1, there is 2; divide by sqrt(k(x, x) k(z, z))");
  EXPECT_EQ(refusal({.d = 3, .matrix = {1, 0.5F, 0.5F, 0.5F, 1, 0.5F}}),
            "corrupt: a given kernel has a matrix of as many columns as rows, this one has 3 and 2");
  EXPECT_EQ(refusal({.matrix = {1, 0.5F, 0.5F}}),
            "corrupt: given needs r x d = 2 x 2 numbers for its landmarks, it was given 3");
  EXPECT_EQ(refusal({.r = 5000}), "corrupt: a given map in a file has r of at most 4096, this one of 5000");
  EXPECT_EQ(
      refusal({.value = 1.5F}),
      "corrupt: row 0000000000000032 of a sample: a kernel with k(x, x) = 1 has values from -1 to 1, there is 1.5; "
      "divide by sqrt(k(x, x) k(z, z))");
}

TEST(GivenFile, RefusesToIntegrateMissingValues) {
  EXPECT_EQ(refusal({.missing = "integrate"}), "corrupt: a map of kind given cannot integrate missing values out");
}

}  // namespace
}  // namespace expose

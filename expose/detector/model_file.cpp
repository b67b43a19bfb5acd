#include "expose/detector/model_file.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "expose/base/error.hpp"
#include "expose/base/version.hpp"
#include "expose/detector/file.hpp"
#include "expose/detector/frame.hpp"
#include "expose/detector/json.hpp"
#include "expose/detector/plan_file.hpp"
#include "expose/mean/exact.hpp"

namespace expose {

namespace {

// In whole units where that is exact: equal means may differ in their units, their bytes shall not.
MeanMap::State canonical(MeanMap::State state) {
  const auto whole = [](std::int64_t number) { return number % kUnitsPerWeight == 0; };
  if (state.units_per_weight == 1 || !whole(state.weight) || !std::ranges::all_of(state.sums, whole)) return state;
  state.units_per_weight = 1;
  state.weight /= kUnitsPerWeight;
  for (std::int64_t& sum : state.sums) sum /= kUnitsPerWeight;
  return state;
}

const char* name(const Threshold& threshold) {
  constexpr std::array<const char*, std::variant_size_v<Threshold>> kNames = {"alpha", "fdr", "contamination", "top"};
  return kNames[threshold.index()];
}

// alpha, q or share. REQUIRES: not Top
double share_of(const Threshold& threshold) {
  if (const Fdr* fdr = std::get_if<Fdr>(&threshold)) return fdr->q;
  if (const Contamination* contamination = std::get_if<Contamination>(&threshold)) return contamination->share;
  return std::get<Alpha>(threshold).alpha;
}

Json describe(const Threshold& threshold) {
  Json json;
  if (const Top* top = std::get_if<Top>(&threshold)) return json.count(name(threshold), top->count);
  return json.number(name(threshold), share_of(threshold));
}

void write_threshold(Writer& writer, const Threshold& threshold) {
  writer.text(name(threshold));
  if (const Top* top = std::get_if<Top>(&threshold)) {
    writer.u64(top->count);
  } else {
    writer.f64(share_of(threshold));
  }
}

Threshold read_threshold(Reader& reader) {
  const std::string kind = reader.text();
  if (kind == "alpha") return Alpha{reader.f64()};
  if (kind == "fdr") return Fdr{reader.f64()};
  if (kind == "contamination") return Contamination{reader.f64()};
  if (kind == "top") return Top{reader.u64()};
  throw Error(Code::corrupt, "there is no threshold '" + kind + "'");
}

struct Stored {
  Plan plan;
  Detector::State state;
  Threshold threshold;
};

Stored read_detector(Reader& reader, std::uint32_t version) {
  const Plan plan = read_plan(reader, version);
  Detector::State state = Detector(plan, 1).state();  // empty: it knows the shapes
  state.mean = MeanMap::from_state(plan.map(), read_mean(reader, plan.map()->size()));
  state.turned_away = reader.i64();
  for (BottomRows<float>* sample : {&state.calibration, &state.frequent}) {
    *sample = BottomRows<float>::read(reader, sample->columns(), sample->capacity());
  }
  const Threshold threshold = read_threshold(reader);
  require_valid(threshold);
  return {plan, std::move(state), threshold};
}

}  // namespace

std::vector<std::byte> to_bytes(const Detector& detector) {
  const Detector::State& state = detector.state();
  Writer body;
  Json sizes;
  const auto section = [&](const char* name, const auto& write) {
    const std::size_t begin = body.bytes().size();
    write();
    sizes.count(name, body.bytes().size() - begin);
  };
  section("plan", [&] { write_plan(body, detector.plan(), version_of(detector.plan())); });
  section("mean", [&] { write_mean(body, canonical(state.mean.state())); });
  section("turned_away", [&] { body.i64(state.turned_away); });
  section("calibration", [&] { state.calibration.write(body); });
  section("frequent", [&] { state.frequent.write(body); });
  section("threshold", [&] { write_threshold(body, detector.threshold()); });
  Json header;
  header.text("written_by", std::string("EXPoSE ") + version())
      .text("kind", expose::name(FileKind::detector))
      .number("weight", detector.weight())
      .number("turned_away", detector.turned_away())
      .object("threshold", describe(detector.threshold()))
      .object("plan", describe(detector.plan()))
      .object("bytes", sizes);
  if (detector.plan().table()) header.objects("columns", describe(*detector.plan().table()));
  return frame(FileKind::detector, version_of(detector.plan()), header.str() + "\n", body.bytes());
}

Detector detector_from_bytes(std::span<const std::byte> bytes, std::size_t threads) {
  const Framed framed = unframe(bytes);
  require_kind(framed, FileKind::detector);
  Stored stored = read_body(framed, read_detector);
  return Detector::from_state(std::move(stored.plan), std::move(stored.state), stored.threshold, threads);
}

void save(const Detector& detector, const std::string& path) { write_atomically(path, to_bytes(detector)); }

Detector load(const std::string& path, std::size_t threads) {
  return parse_file(path, [&](std::span<const std::byte> bytes) { return detector_from_bytes(bytes, threads); });
}

}  // namespace expose

// Hostile bytes for the reader of model files: whatever they are, the answer is a detector, a watcher or an Error
// (law 6).
//
// A checksum and a fingerprint would stop nearly every input at the door, so each is offered as it is, as a file whose
// checksum is right, and as the body of a file of either kind and any version where both are. What comes out must
// judge, and be saved and loaded as itself. Inputs begin as real models: no corpus needs to be kept.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"
#include "expose/base/random.hpp"
#include "expose/detector/frame.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/plan_file.hpp"
#include "expose/detector/watcher.hpp"

namespace {

using namespace expose;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kChecksum = 8;
constexpr std::size_t kFingerprint = 8;
constexpr std::size_t kMostColumns = 64;  // more are not judged: that would be slow, and nothing new

void put(std::uint64_t value, std::span<std::byte> at) {
  Writer writer;
  writer.u64(value);
  std::ranges::copy(writer.bytes(), at.begin());
}

void use(const Detector& detector) {
  const Bytes saved = to_bytes(detector);
  const Detector again = detector_from_bytes(saved, 1);
  if (!(again == detector) || to_bytes(again) != saved) std::abort();
  const std::size_t columns = detector.plan().columns();
  if (columns > kMostColumns) return;
  const std::vector<double> row(columns, 1.0);
  detector.judge(Records(row, columns));
}

void use(Watcher watcher) {
  const Bytes saved = to_bytes(watcher);
  const Watcher again = watcher_from_bytes(saved);
  if (!(again == watcher) || to_bytes(again) != saved) std::abort();
  if (!watcher.planned() || watcher.plan().columns() > kMostColumns) return;
  const std::vector<double> row(watcher.plan().columns(), 1.0);
  watcher.watch(row);
  watcher.watch(row);
  if (!(watcher_from_bytes(to_bytes(watcher)) == watcher)) std::abort();
}

void offer(const Bytes& file) {
  try {
    if (unframe(file).kind == FileKind::detector) {
      use(detector_from_bytes(file, 1));
    } else {
      use(watcher_from_bytes(file));
    }
  } catch (const Error&) {
  }
}

void offer_as_file(Bytes file) {
  offer(file);
  if (file.size() < kChecksum) return;
  const std::size_t content = file.size() - kChecksum;
  put(hash64(std::span(file).first(content)), std::span(file).subspan(content));
  offer(file);
}

// Where the fingerprint of the plan stands: first; or in a watcher behind alpha, the counts of rows, of which version 3
// has one more, and the byte that says that there is a plan.
std::size_t fingerprint_at(FileKind kind, std::uint32_t version) {
  return kind == FileKind::detector ? 0 : version > 2 ? 4 * 8 + 1 : 3 * 8 + 1;
}

void offer_as_body(Bytes body, FileKind kind, std::uint32_t version) {
  const std::size_t at = fingerprint_at(kind, version);
  if (body.size() < at + kFingerprint) return;
  if (at == 0 || body[at - 1] != std::byte{0}) {
    try {
      Reader reader(body);
      reader.raw(at + kFingerprint);
      put(Plan(read_parts(reader, version)).fingerprint(), std::span(body).subspan(at, kFingerprint));
    } catch (const Error&) {
      return;  // no plan, so nothing to read
    }
  }
  offer(frame(kind, version, "", body));
}

// A category and a time: two numbers and four.
Columns make_table() {
  return Columns({{.name = "key", .role = Role::id},
                  {.name = "kind", .role = Role::category, .levels = {"a"}, .rare = {"b", "c"}},
                  {.name = "when", .role = Role::time}});
}

Bytes body_of(const Bytes& file) {
  const auto body = unframe(file).body;
  return {body.begin(), body.end()};
}

Bytes detector_body(const Plan& plan, Records rows) {
  Detector detector(plan, 1);
  detector.learn(rows.slice(0, 6));
  if (!plan.parts().gate) detector.learn(rows.slice(6, 8), std::vector<double>{0.5, 3.0});
  return body_of(to_bytes(detector));
}

// Every map: with a gate; without one, with a table; and as version 1 had it.
void add_detectors(Records rows, std::vector<Bytes>& seeds) {
  for (const MapKind kind :
       {MapKind::nystrom, MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::isolation}) {
    Options options{.map = kind, .r = 4, .trim = 0.2, .threads = 1};
    seeds.push_back(detector_body(plan(rows, options), rows));
    options.missing = Missing::reject;
    seeds.push_back(detector_body(plan(rows, options), rows));
    options.trim = 0;
    options.missing = Missing::integrate;
    options.table = make_table();
    seeds.push_back(detector_body(plan(rows, options), rows));
  }
}

// Kernel values among four landmarks, and those of rows with them.
void add_given(std::vector<Bytes>& seeds) {
  std::vector<double> matrix(16), values(10 * 4);
  for (std::size_t k = 0; k < 16; ++k) matrix[k] = k % 5 == 0 ? 1 : 0.25;
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 0.5 + 0.01 * static_cast<double>(k % 7);
  const Records rows(values, 4);
  for (const double trim : {0.0, 0.2}) {
    const Options options{.trim = trim, .threads = 1};
    seeds.push_back(detector_body(plan_given(Records(matrix, 4), rows, options, 10), rows));
  }
}

// Every memory: with a plan, and with rows that wait for one; with and without what is new since version 1.
void add_watchers(Records rows, std::vector<Bytes>& seeds) {
  for (const Memory& memory : {Memory(Everything{}), Memory(Window{8}), Memory(Fading{0.1})}) {
    for (const Missing missing : {Missing::integrate, Missing::reject}) {
      Options options{.map = MapKind::fourier, .r = 4, .memory = memory, .missing = missing, .threads = 1};
      if (missing == Missing::integrate) options.table = make_table();
      for (Watcher watcher : {Watcher(options), Watcher(plan(rows, options))}) {
        watcher.watch(rows.slice(0, 12));
        seeds.push_back(body_of(to_bytes(watcher)));
      }
    }
  }
}

// Bodies of small models, and a whole file of each kind.
std::vector<Bytes> make_seeds() {
  Random random(1, 0);
  std::vector<double> values(24 * 6);
  for (double& value : values) value = random.normal();
  const Records rows(values, 6);
  std::vector<Bytes> seeds;
  add_detectors(rows, seeds);
  add_given(seeds);
  seeds.push_back(frame(FileKind::detector, 2, "", seeds.front()));
  add_watchers(rows, seeds);
  seeds.push_back(frame(FileKind::watcher, 1, "", seeds.back()));
  return seeds;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  static const std::vector<Bytes> kSeeds = make_seeds();
  const Bytes& start = kSeeds[seed / 64 % kSeeds.size()];
  if ((size < 64 || seed % 64 == 0) && start.size() <= most) {
    size = start.size();
    std::ranges::transform(start, data, [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  offer_as_file({bytes.begin(), bytes.end()});
  for (const FileKind kind : {FileKind::detector, FileKind::watcher}) {
    for (const std::uint32_t version : {1U, 2U, 3U}) offer_as_body({bytes.begin(), bytes.end()}, kind, version);
  }
  return 0;
}

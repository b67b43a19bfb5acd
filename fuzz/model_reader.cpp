// Hostile bytes for the reader of model files: whatever they are, the answer is a detector or an Error (law 6).
//
// A checksum and a fingerprint would stop nearly every input at the door, so each is offered three times: as it is, as
// a file whose checksum is right, and as the body of a file where both are. A detector that comes out must judge, and
// be saved and loaded as itself. Inputs begin as real models: no corpus needs to be kept.
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

void offer(const Bytes& file) {
  try {
    use(detector_from_bytes(file, 1));
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

void offer_as_body(Bytes body, std::uint32_t version) {
  try {
    Reader reader(body);
    reader.raw(kFingerprint);
    put(Plan(read_parts(reader, version)).fingerprint(), std::span(body).first(kFingerprint));
  } catch (const Error&) {
    return;  // no plan, so no detector
  }
  offer(frame(FileKind::detector, version, "", body));
}

// A category and a time: two numbers and four.
Columns make_table() {
  return Columns({{.name = "key", .role = Role::id},
                  {.name = "kind", .role = Role::category, .levels = {"a"}, .rare = {"b", "c"}},
                  {.name = "when", .role = Role::time}});
}

// Bodies of small models, every map with a gate and without, the latter with a table; and one whole file.
std::vector<Bytes> make_seeds() {
  Random random(1, 0);
  std::vector<double> values(24 * 6);
  for (double& value : values) value = random.normal();
  const Records rows(values, 6);
  std::vector<Bytes> seeds;
  for (const MapKind kind :
       {MapKind::nystrom, MapKind::fourier, MapKind::sorf, MapKind::fastfood, MapKind::isolation}) {
    for (const double trim : {0.0, 0.2}) {
      Options options;
      options.map = kind;
      options.r = 4;
      options.trim = trim;
      options.threads = 1;
      if (trim == 0) options.table = make_table();
      Detector detector(plan(rows, options), 1);
      detector.learn(rows.slice(0, 6));
      if (trim == 0) detector.learn(rows.slice(6, 8), std::vector<double>{0.5, 3.0});
      const Bytes file = to_bytes(detector);
      const auto body = unframe(file).body;
      seeds.emplace_back(body.begin(), body.end());
    }
  }
  seeds.push_back(frame(FileKind::detector, 3, "", seeds.front()));
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
  for (const std::uint32_t version : {2U, 3U}) offer_as_body({bytes.begin(), bytes.end()}, version);
  return 0;
}

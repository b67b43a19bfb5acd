#include "expose/detector/plan.hpp"

#include <array>
#include <charconv>

#include "expose/base/bytes.hpp"
#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"
#include "expose/base/text.hpp"

namespace expose {

namespace {

std::uint64_t hash_of(const Plan::Parts& parts) {
  Writer writer;
  writer.text("expose plan 1");
  const Scaler::State& scaler = parts.scaler.state();
  writer.text(name(scaler.kind));
  writer.u64(scaler.inputs);
  for (const std::uint32_t column : scaler.kept) writer.u32(column);
  writer.f64s(scaler.centre);
  writer.f64s(scaler.spread);
  writer.u64(parts.map->fingerprint());
  writer.text(name(parts.memory));
  writer.u8(parts.gate ? 1 : 0);
  if (parts.gate) {
    writer.f64(parts.gate->threshold);
    writer.i64(parts.gate->inner.state().weight);
    writer.i64s(parts.gate->inner.state().sums);
  }
  writer.f64(parts.trim);
  writer.u64(parts.seed);
  for (const std::uint64_t hash : parts.frequent) writer.u64(hash);
  if (parts.unknown) {  // nothing else: plans of format version 1 keep their fingerprints
    writer.f32s(parts.unknown->mean);
    writer.f32s(parts.unknown->variance);
  }
  if (parts.table) {  // likewise; columns that become no numbers may differ
    writer.text("columns");
    parts.table->features().write(writer);
  }
  return hash64(writer.bytes());
}

// Names of columns, in one line and in a few.
constexpr std::size_t kSomeNames = 3, kManyNames = 8;

// Three digits: 0.745, 1e-10.
std::string in_brief(double number) {
  std::array<char, 16> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::general, 3);
  return {digits.data(), written.ptr};
}

std::string of_columns(const Plan& plan) {
  const std::string all = std::to_string(plan.columns()) + (plan.table() ? " numbers" : " columns");
  return plan.d() == plan.columns() ? all : std::to_string(plan.d()) + " of " + all;
}

bool has_kernel(const Plan& plan) { return has_kernel(plan.map()->recipe().kind); }

}  // namespace

Plan::Plan(Parts parts) {
  if (parts.map->d() != parts.scaler.d()) {
    throw Error(Code::incompatible, "the scaler gives " + std::to_string(parts.scaler.d()) +
                                        " columns, the map takes " + std::to_string(parts.map->d()));
  }
  if (parts.table && parts.table->width() != parts.scaler.inputs()) {
    throw Error(Code::incompatible, "the table has " + std::to_string(parts.table->width()) +
                                        " numbers a row, the scaler takes " + std::to_string(parts.scaler.inputs()));
  }
  if (parts.gate) require_same_map(parts.gate->inner.map(), *parts.map);
  if (parts.unknown) require_valid(*parts.unknown, *parts.map);
  auto content = std::make_shared<Content>(Content{std::move(parts), {}, 0});
  content->fingerprint = hash_of(content->parts);
  if (content->parts.gate) content->gatekeeper.emplace(content->parts.gate->inner, content->parts.unknown);
  content_ = std::move(content);
}

std::string Plan::summary() const {
  const std::string of_kernel =
      has_kernel(*this) ? name(kernel()) + " kernel of bandwidth " + in_brief(bandwidth(kernel())) + ", " : "";
  const std::string names = table() ? " (" + table()->features().names(kSomeNames) + ")" : "";
  return of_columns(*this) + names + ", scale " + name(scaler().kind()) + ", " + of_kernel +
         name(map()->recipe().kind) + " map with r = " + std::to_string(map()->r()) + ", memory " + name(memory());
}

std::string Plan::description() const {
  std::string lines;
  const auto line = [&](const std::string& word, const std::string& value) {
    lines += word + std::string(word.size() < 14 ? 14 - word.size() : 1, ' ') + value + "\n";
  };
  line("columns", of_columns(*this) + (d() == columns() ? "" : " (the others are constant)"));
  if (table()) line("table", table()->features().names(kManyNames));
  line("scale", name(scaler().kind()));
  if (has_kernel(*this)) line("kernel", name(kernel()) + ", bandwidth " + text(bandwidth(kernel())));
  line("map", name(map()->recipe().kind) + ", r = " + std::to_string(map()->r()));
  line("memory", name(memory()));
  line("gate", parts().gate ? "similarity at least " + text(parts().gate->threshold) + " to the inner " +
                                  text(100 * (1 - parts().trim)) + " % of the sample"
                            : "none");
  line("missing", missing() == Missing::integrate ? "integrated out" : "their rows are rejected");
  line("seed", std::to_string(parts().seed));
  line("planned on", std::to_string(parts().planned_on) + " rows" +
                         (parts().first_rows_only ? ", the first ones: the data could be read only once" : ""));
  line("fingerprint", hex(fingerprint()));
  return lines;
}

void require_same_plan(const Plan& a, const Plan& b) {
  if (a.fingerprint() == b.fingerprint()) return;
  throw Error(
      Code::incompatible,
      "models are merged and compared only if they have the same plan (make the second as Detector(first.plan())); "
      "these have the fingerprints " +
          hex(a.fingerprint()) + " and " + hex(b.fingerprint()));
}

}  // namespace expose

#include "expose/detector/plan_file.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"
#include "expose/base/text.hpp"
#include "expose/detector/frame.hpp"
#include "expose/encode/field.hpp"
#include "expose/map/maps.hpp"

namespace expose {

namespace {

[[noreturn]] void throw_corrupt(const std::string& sentence) { throw Error(Code::corrupt, sentence); }

template <class Number, class Write>
void write_list(Writer& writer, const std::vector<Number>& numbers, const Write& write) {
  writer.u64(numbers.size());
  for (const Number number : numbers) std::invoke(write, writer, number);
}

template <class Number, class Read>
std::vector<Number> read_list(Reader& reader, const Read& read) {
  std::vector<Number> numbers(reader.count(sizeof(Number)));
  for (Number& number : numbers) number = std::invoke(read, reader);
  return numbers;
}

// How large a map in a file may be. Random maps are drawn again, r x d frequencies: 2^28 are 1 GiB. Nystrom solves an
// eigenproblem of r x r: at 4096 a minute. The landmarks of isolation are in the file.
void require_modest(const Recipe& recipe, Code code) {
  const auto require = [&](const char* what, std::size_t is, std::size_t most) {
    if (is <= most) return;
    throw Error(code, std::string("a ") + name(recipe.kind) + " map in a file has " + what + " of at most " +
                          std::to_string(most) + ", this one of " + std::to_string(is));
  };
  require("d", recipe.d, std::size_t{1} << 20);
  require("r", recipe.r, std::size_t{1} << (sees_landmarks(recipe.kind) ? 12 : 24));
  require("r x d", recipe.r * recipe.d, std::size_t{1} << 28);
}

void write_scaler(Writer& writer, const Scaler::State& scaler) {
  writer.text(name(scaler.kind));
  writer.u64(scaler.inputs);
  write_list(writer, scaler.kept, &Writer::u32);
  writer.f64s(scaler.centre);
  writer.f64s(scaler.spread);
}

Scaler::State read_scaler(Reader& reader) {
  Scaler::State scaler;
  scaler.kind = scale_named(reader.text());
  scaler.inputs = reader.u64();
  scaler.kept = read_list<std::uint32_t>(reader, &Reader::u32);
  scaler.centre = reader.f64s();
  scaler.spread = reader.f64s();
  return scaler;
}

Recipe read_recipe(Reader& reader) {
  Recipe recipe;
  recipe.kind = map_named(reader.text());
  recipe.d = reader.u64();
  recipe.r = reader.u64();
  const std::string kernel = reader.text();
  recipe.kernel = kernel_named(kernel, reader.f64());
  recipe.seed = reader.u64();
  recipe.landmarks = reader.f32s();
  require_modest(recipe, Code::corrupt);
  const std::size_t sums = reader.left() / sizeof(std::int64_t);
  if (sums < recipe.size()) {
    throw_corrupt("the map has " + std::to_string(recipe.size()) + " features, what follows has room for " +
                  std::to_string(sums) + " sums");
  }
  return recipe;
}

// What a plan has beside scaler and map, before there is a map to make it with.
struct Rest {
  Memory memory;
  std::optional<MeanMap::State> inner;
  double threshold = 0.0;
  double trim = 0.0;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> frequent;
  std::int64_t planned_on = 0;
  bool first_rows_only = false;
  std::optional<Unknown> unknown;
  std::optional<Columns> table;
};

Unknown read_unknown(Reader& reader, std::size_t d) {
  Unknown unknown{reader.f32s(), reader.f32s()};
  if (unknown.mean.size() != d || unknown.variance.size() != d) {
    throw_corrupt("a plan of " + std::to_string(d) + " columns has " + std::to_string(unknown.mean.size()) +
                  " means and " + std::to_string(unknown.variance.size()) + " variances for missing values");
  }
  return unknown;
}

void require_valid(const Rest& rest) {
  if (!std::isfinite(rest.threshold)) throw_corrupt("the threshold of a gate is " + text(rest.threshold));
  if (!(rest.trim >= 0 && rest.trim < 1)) throw_corrupt("trim is a share from 0 to below 1, it is " + text(rest.trim));
  if (std::ranges::adjacent_find(rest.frequent, std::ranges::greater_equal()) != rest.frequent.end()) {
    throw_corrupt("the frequent rows of a plan are not in order");
  }
  if (rest.planned_on < 0) throw_corrupt("a plan was made on " + std::to_string(rest.planned_on) + " rows");
}

Rest read_rest(Reader& reader, std::uint32_t version, const Recipe& recipe) {
  Rest rest;
  rest.memory = memory_named(reader.text());
  if (reader.yes_no()) {
    rest.threshold = reader.f64();
    rest.inner = read_mean(reader, recipe.size());
  }
  rest.trim = reader.f64();
  rest.seed = reader.u64();
  rest.frequent = read_list<std::uint64_t>(reader, &Reader::u64);
  rest.planned_on = reader.i64();
  rest.first_rows_only = reader.yes_no();
  if (version > 1 && missing_named(reader.text()) == Missing::integrate) rest.unknown = read_unknown(reader, recipe.d);
  if (version > 2 && reader.yes_no()) rest.table = Columns::read(reader);
  require_valid(rest);
  return rest;
}

}  // namespace

std::uint32_t version_of(const Plan& plan) { return version_for(plan.missing(), plan.table().has_value()); }

void write_plan(Writer& writer, const Plan& plan, std::uint32_t version) {
  const Plan::Parts& parts = plan.parts();
  writer.u64(plan.fingerprint());
  write_scaler(writer, parts.scaler.state());
  require_modest(parts.map->recipe(), Code::overflow);
  write_recipe(writer, parts.map->recipe());
  writer.text(name(parts.memory));
  writer.u8(parts.gate ? 1 : 0);
  if (parts.gate) {
    writer.f64(parts.gate->threshold);
    write_mean(writer, parts.gate->inner.state());
  }
  writer.f64(parts.trim);
  writer.u64(parts.seed);
  write_list(writer, parts.frequent, &Writer::u64);
  writer.i64(parts.planned_on);
  writer.u8(parts.first_rows_only ? 1 : 0);
  if (version == 1) return;
  writer.text(name(plan.missing()));
  if (parts.unknown) {
    writer.f32s(parts.unknown->mean);
    writer.f32s(parts.unknown->variance);
  }
  if (version == 2) return;
  writer.u8(parts.table ? 1 : 0);
  if (parts.table) parts.table->write(writer);
}

Plan read_plan(Reader& reader, std::uint32_t version) {
  const std::uint64_t claimed = reader.u64();
  Plan plan(read_parts(reader, version));
  if (plan.fingerprint() == claimed) return plan;
  throw_corrupt("the plan has the fingerprint " + hex(plan.fingerprint()) + ", the file says " + hex(claimed));
}

// Everything is read and checked before the map is made: the one costly step.
Plan::Parts read_parts(Reader& reader, std::uint32_t version) {
  Scaler scaler = Scaler::from_state(read_scaler(reader));
  Recipe recipe = read_recipe(reader);
  if (recipe.d != scaler.d()) {
    throw_corrupt("the scaler gives " + std::to_string(scaler.d()) + " columns, the map takes " +
                  std::to_string(recipe.d));
  }
  Rest rest = read_rest(reader, version, recipe);
  SharedMap map = make_map(std::move(recipe));
  std::optional<Gate> gate;
  if (rest.inner) gate = Gate{MeanMap::from_state(map, std::move(*rest.inner)), rest.threshold};
  return {.scaler = std::move(scaler),
          .map = std::move(map),
          .memory = rest.memory,
          .gate = std::move(gate),
          .trim = rest.trim,
          .seed = rest.seed,
          .frequent = std::move(rest.frequent),
          .planned_on = rest.planned_on,
          .first_rows_only = rest.first_rows_only,
          .unknown = std::move(rest.unknown),
          .table = std::move(rest.table)};
}

void write_mean(Writer& writer, const MeanMap::State& state) {
  writer.i64(state.weight);
  writer.i64(state.units_per_weight);
  writer.i64s(state.sums);
}

MeanMap::State read_mean(Reader& reader, std::size_t features) {
  MeanMap::State state;
  state.weight = reader.i64();
  state.units_per_weight = reader.i64();
  const std::vector<std::int64_t> sums = reader.i64s();
  state.sums.assign(sums.begin(), sums.end());
  if (state.sums.size() == features) return state;
  throw_corrupt("a mean has " + std::to_string(state.sums.size()) + " sums, its map has " + std::to_string(features) +
                " features");
}

Json describe(const Plan& plan) {
  const Plan::Parts& parts = plan.parts();
  const Recipe& recipe = parts.map->recipe();
  Json json;
  json.text("fingerprint", hex(plan.fingerprint()))
      .count("columns", plan.columns())
      .counts("kept_columns", parts.scaler.kept())
      .text("scale", name(parts.scaler.kind()))
      .text("kernel", name(recipe.kernel))
      .number("bandwidth", bandwidth(recipe.kernel))
      .text("map", name(recipe.kind))
      .count("r", recipe.r)
      .count("d", recipe.d)
      .text("memory", name(parts.memory))
      .number("trim", parts.trim)
      .text("missing", name(plan.missing()))
      .truth("gate", parts.gate.has_value())
      .count("seed", parts.seed)
      .count("planned_on", static_cast<std::uint64_t>(parts.planned_on))
      .truth("first_rows_only", parts.first_rows_only);
  return json;
}

std::vector<Json> describe(const Columns& table) {
  std::vector<Json> columns;
  for (const Column& column : table.all()) {
    Json& json = columns.emplace_back();
    json.text("name", as_utf8(column.name)).text("role", name(column.role));
    if (column.role == Role::category) json.count("levels", column.levels.size());
  }
  return columns;
}

}  // namespace expose

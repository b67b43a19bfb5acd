// When two watchers are equal; a watcher as bytes and on disk. The body is
//   alpha, rows, rejected, from version 3 on unknown, whether there is a plan, and then
//   without a plan:  columns, options, the rows that wait for it
//   Everything:      plan, mean, rows turned away, calibration
//   Window:          plan, mean, rows, their similarities (which are the calibration)
//   Fading:          plan, t, squared weights, w_t, calibration
#include <algorithm>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/version.hpp"
#include "expose/detector/file.hpp"
#include "expose/detector/frame.hpp"
#include "expose/detector/options_file.hpp"
#include "expose/detector/plan_file.hpp"
#include "expose/detector/watcher.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 53;

[[noreturn]] void throw_corrupt(const std::string& sentence) { throw Error(Code::corrupt, sentence); }

// A mean of whole rows: a stream has no other weights.
MeanMap read_whole_mean(Reader& reader, const SharedMap& map) {
  MeanMap mean = MeanMap::from_state(map, read_mean(reader, map->size()));
  if (mean.state().units_per_weight == 1) return mean;
  throw_corrupt("the mean of a stream has weights in steps of 1/" + std::to_string(mean.state().units_per_weight) +
                ", its rows weigh 1 each");
}

// Into the empty window of the plan.
WindowMean read_window(Reader& reader, const Plan& plan, WindowMean window) {
  const MeanMap mean = read_whole_mean(reader, plan.map());
  const std::vector<float> values = reader.f32s();
  const Rows rows(values, plan.d());
  if (rows.n() > window.length()) {
    throw_corrupt("a window of " + std::to_string(window.length()) + " rows holds " + std::to_string(rows.n()));
  }
  window.learn(rows);
  if (window.mean_map() == mean) return window;
  throw_corrupt("the rows of a window do not add up to its mean");
}

FadingMean read_fading(Reader& reader, const Plan& plan) {
  FadingMean::State state;
  state.rows = reader.u64();
  state.squared_weights = reader.f64();
  state.mean = reader.f64s();
  return FadingMean::from_state(plan.map(), std::get<Fading>(plan.memory()), std::move(state));
}

void write_calibration(Writer& writer, const StreamCalibration& calibration) {
  writer.f64(calibration.state().newest);
  writer.f64s(calibration.state().weights);
}

StreamCalibration read_calibration(Reader& reader, double gamma) {
  StreamCalibration::State state;
  state.newest = reader.f64();
  state.weights = reader.f64s();
  return StreamCalibration::from_state(gamma, std::move(state));
}

// By their bits: a missing number, NaN, is equal to itself.
bool same_rows(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

}  // namespace

bool operator==(const Watcher& a, const Watcher& b) {
  if (a.alpha_ != b.alpha_ || a.columns_ != b.columns_ || a.rows_ != b.rows_ || a.rejected_ != b.rejected_ ||
      a.unknown_ != b.unknown_ || a.planned() != b.planned()) {
    return false;
  }
  if (!a.planned()) return a.options_ == b.options_ && same_rows(a.first_rows_, b.first_rows_);
  const Watcher::Stream& x = *a.stream_;
  const Watcher::Stream& y = *b.stream_;
  return x.plan.fingerprint() == y.plan.fingerprint() && x.model == y.model && x.calibration == y.calibration &&
         x.similarities == y.similarities && x.turned_away == y.turned_away;
}

std::uint32_t Watcher::file_version() const { return version_for(missing(), table() || unknown_ > 0); }

void Watcher::write(Writer& writer, std::uint32_t version) const {
  writer.f64(alpha_);
  writer.u64(rows_);
  writer.u64(rejected_);
  if (version > 2) writer.u64(unknown_);
  writer.u8(planned() ? 1 : 0);
  if (!planned()) {
    writer.u64(columns_);
    write_options(writer, options_, version);
    writer.f64s(first_rows_);
    return;
  }
  const Stream& stream = *stream_;
  write_plan(writer, stream.plan, version);
  if (const WindowMean* const window = std::get_if<WindowMean>(&stream.model)) {
    write_mean(writer, window->mean_map().state());
    writer.f32s(std::span(window->rows().data(), window->rows().n() * stream.plan.d()));
    writer.f64s(std::vector<double>(stream.similarities.begin(), stream.similarities.end()));
    return;
  }
  if (const FadingMean* const fading = std::get_if<FadingMean>(&stream.model)) {
    writer.u64(fading->state().rows);
    writer.f64(fading->state().squared_weights);
    writer.f64s(fading->state().mean);
  } else {
    write_mean(writer, std::get<MeanMap>(stream.model).state());
    writer.i64(stream.turned_away);
  }
  write_calibration(writer, stream.calibration);
}

Watcher Watcher::read(Reader& reader, std::uint32_t version) {
  const double alpha = reader.f64();
  const std::uint64_t rows = reader.u64();
  const std::uint64_t rejected = reader.u64();
  const std::uint64_t unknown = version > 2 ? reader.u64() : 0;
  const bool planned = reader.yes_no();
  Watcher watcher = planned ? Watcher(read_plan(reader, version), alpha) : read_waiting(reader, version);
  if (planned) watcher.read_stream(reader);
  watcher.set_alpha(alpha);
  watcher.rows_ = rows;
  watcher.rejected_ = rejected;
  watcher.unknown_ = unknown;
  if (watcher.remembered() <= std::uint64_t{kMostRows}) return watcher;
  throw_corrupt("a watcher remembers " + std::to_string(watcher.remembered()) + " rows: no stream is so long");
}

Watcher Watcher::read_waiting(Reader& reader, std::uint32_t version) {
  const std::size_t columns = reader.u64();
  Watcher watcher(read_options(reader, version));
  if (watcher.columns_ != 0 && watcher.columns_ != columns) {
    throw_corrupt("a watcher of rows with " + std::to_string(columns) + " numbers has a table that gives " +
                  std::to_string(watcher.columns_));
  }
  watcher.columns_ = columns;
  watcher.first_rows_ = reader.f64s();
  if (watcher.first_rows_.empty()) return watcher;
  const Records rows(watcher.first_rows_, columns);
  if (rows.n() >= kPlanRows)
    throw_corrupt(std::to_string(rows.n()) + " rows wait for a plan that takes " + std::to_string(kPlanRows));
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (!is_good(rows, i, watcher.missing()))
      throw_corrupt("row " + std::to_string(i + 1) + " that waits for a plan is not finite");
  }
  return watcher;
}

void Watcher::read_stream(Reader& reader) {
  Stream& stream = *stream_;
  if (std::holds_alternative<Window>(stream.plan.memory())) {
    WindowMean window = read_window(reader, stream.plan, std::get<WindowMean>(stream.model));
    const std::vector<double> similarities = reader.f64s();
    if (similarities.size() != window.rows().n()) {
      throw_corrupt("a window has " + std::to_string(window.rows().n()) + " rows and " +
                    std::to_string(similarities.size()) + " similarities");
    }
    for (const double similarity : similarities) stream.calibration.add(similarity);
    stream.similarities.assign(similarities.begin(), similarities.end());
    stream.model = std::move(window);
    return;
  }
  if (std::holds_alternative<Fading>(stream.plan.memory())) {
    stream.model = read_fading(reader, stream.plan);
  } else {
    stream.model = read_whole_mean(reader, stream.plan.map());
    stream.turned_away = reader.i64();
    if (stream.turned_away < 0 || stream.turned_away > kMostRows) {
      throw_corrupt("the gate kept out " + std::to_string(stream.turned_away) + " rows");
    }
  }
  stream.calibration = read_calibration(reader, stream.calibration.gamma());
}

std::vector<std::byte> to_bytes(const Watcher& watcher) {
  const std::uint32_t format = watcher.file_version();
  Writer body;
  watcher.write(body, format);
  Json header;
  header.text("written_by", std::string("EXPoSE ") + version())
      .text("kind", name(FileKind::watcher))
      .count("rows", watcher.rows())
      .count("rejected", watcher.rejected())
      .number("weight", watcher.weight())
      .number("alpha", watcher.alpha());
  if (watcher.unknown() > 0) header.count("unknown", watcher.unknown());
  if (watcher.planned()) header.object("plan", describe(watcher.plan()));
  if (watcher.table()) header.objects("columns", describe(*watcher.table()));
  return frame(FileKind::watcher, format, header.str() + "\n", body.bytes());
}

Watcher watcher_from_bytes(std::span<const std::byte> bytes) {
  const Framed framed = unframe(bytes);
  require_kind(framed, FileKind::watcher);
  return read_body(framed, &Watcher::read);
}

void save(const Watcher& watcher, const std::string& path) { write_atomically(path, to_bytes(watcher)); }

Watcher load_watcher(const std::string& path) {
  return parse_file(path, [](std::span<const std::byte> bytes) { return watcher_from_bytes(bytes); });
}

}  // namespace expose

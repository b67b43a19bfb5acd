#include "expose/detector/options_file.hpp"

#include "expose/base/error.hpp"
#include "expose/detector/frame.hpp"

namespace expose {

namespace {

// The most that a file may ask for, as in a plan.
void require_modest(const Options& options, Code code) {
  constexpr std::size_t kMostR = std::size_t{1} << 24;
  if (options.r.value_or(0) <= kMostR) return;
  throw Error(code, "options in a file have r of at most " + std::to_string(kMostR) + ", these of " +
                        std::to_string(*options.r));
}

template <class T, class Write>
void write_optional(Writer& writer, const std::optional<T>& value, const Write& write) {
  writer.u8(value ? 1 : 0);
  if (value) write(*value);
}

template <class Read>
auto read_optional(Reader& reader, const Read& read) {
  return reader.yes_no() ? std::optional(read()) : std::nullopt;
}

}  // namespace

std::uint32_t version_of(const Options& options) { return version_for(options.missing, options.table.has_value()); }

void write_options(Writer& writer, const Options& options, std::uint32_t version) {
  require_modest(options, Code::overflow);
  const auto number = [&](double value) { writer.f64(value); };
  const auto count = [&](std::size_t value) { writer.u64(value); };
  const auto word = [&](const auto& value) { writer.text(name(value)); };
  writer.text(name(options.kernel));
  writer.f64(bandwidth(options.kernel));
  write_optional(writer, options.bandwidth, number);
  write_optional(writer, options.map, word);
  write_optional(writer, options.r, count);
  write_optional(writer, options.scale, word);
  writer.text(name(options.memory));
  write_optional(writer, options.trim, number);
  writer.f64(options.alpha);
  writer.u64(options.seed);
  writer.u64(options.threads);
  writer.text(name(options.preset));
  if (version > 1) writer.text(name(options.missing));
  if (version > 2) write_optional(writer, options.table, [&](const Columns& table) { table.write(writer); });
}

Options read_options(Reader& reader, std::uint32_t version) {
  const auto number = [&] { return reader.f64(); };
  Options options;
  const std::string kernel = reader.text();
  options.kernel = kernel_named(kernel, reader.f64());
  options.bandwidth = read_optional(reader, number);
  options.map = read_optional(reader, [&] { return map_named(reader.text()); });
  options.r = read_optional(reader, [&] { return static_cast<std::size_t>(reader.u64()); });
  options.scale = read_optional(reader, [&] { return scale_named(reader.text()); });
  options.memory = memory_named(reader.text());
  options.trim = read_optional(reader, number);
  options.alpha = reader.f64();
  options.seed = reader.u64();
  options.threads = reader.u64();
  options.preset = preset_named(reader.text());
  options.missing = version > 1 ? missing_named(reader.text()) : Missing::reject;
  if (version > 2) options.table = read_optional(reader, [&] { return Columns::read(reader); });
  require_modest(options, Code::corrupt);
  return options;
}

}  // namespace expose

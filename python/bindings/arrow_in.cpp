// Tables in: any Arrow stream (PyCapsule), batch by batch, a column at a time as numbers, texts or times.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "expose/base/text.hpp"
#include "python/bindings/arrow.hpp"
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Code::invalid_argument, sentence); }

// What a producer has handed over; given back when nobody needs it any more.
template <class T>
struct Held {
  T value = {};
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value.release != nullptr) value.release(&value);
  }
};

bool is_valid(const ArrowArray& array, std::int64_t i) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return true;
  const std::int64_t at = i + array.offset;
  return ((static_cast<const std::uint8_t*>(array.buffers[0])[at / 8] >> (at % 8)) & 1) != 0;
}

double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * fraction * 0x1p-24;
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  return sign * (1024 + fraction) * std::ldexp(1.0, exponent - 25);
}

template <class Number, class Convert>
std::vector<double> numbers_by(const ArrowArray& array, std::int64_t begin, std::int64_t end, const Convert& convert) {
  const auto* const values = static_cast<const Number*>(array.buffers[1]) + array.offset;
  std::vector<double> numbers(static_cast<std::size_t>(end - begin), std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t i = begin; i < end; ++i) {
    if (is_valid(array, i)) numbers[static_cast<std::size_t>(i - begin)] = convert(values[i]);
  }
  return numbers;
}

template <class Number>
std::vector<double> numbers_as(const ArrowArray& array, std::int64_t begin, std::int64_t end) {
  return numbers_by<Number>(array, begin, end, [](Number value) { return static_cast<double>(value); });
}

std::vector<double> bits(const ArrowArray& array, std::int64_t begin, std::int64_t end) {
  const auto* const bytes = static_cast<const std::uint8_t*>(array.buffers[1]);
  std::vector<double> numbers;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = i + array.offset;
    const double value = (bytes[at / 8] >> (at % 8)) & 1;
    numbers.push_back(is_valid(array, i) ? value : std::numeric_limits<double>::quiet_NaN());
  }
  return numbers;
}

// "d:10,2" or "d:10,2,64": digits, of which so many behind the point, and bits of the integer that holds them.
struct Decimal {
  int scale = 0;
  int bits = 128;
};
std::optional<Decimal> decimal_of(std::string_view format) {
  if (!format.starts_with("d:")) return std::nullopt;
  int digits = 0;
  Decimal decimal;
  const int read = std::sscanf(std::string(format).c_str(), "d:%d,%d,%d", &digits, &decimal.scale, &decimal.bits);
  const bool known = decimal.bits == 32 || decimal.bits == 64 || decimal.bits == 128;
  return read >= 2 && known ? std::optional(decimal) : std::nullopt;
}

// Money, say: an integer over a power of ten. Up to 2^53 and 22 digits behind the point the nearest double.
std::vector<double> decimals(const Decimal& decimal, const ArrowArray& array, std::int64_t begin, std::int64_t end) {
  const double unit = std::pow(10.0, std::abs(decimal.scale));
  const auto scaled = [&](double whole) { return decimal.scale < 0 ? whole * unit : whole / unit; };
  if (decimal.bits == 32) {
    return numbers_by<std::int32_t>(array, begin, end, [&](std::int32_t value) { return scaled(value); });
  }
  if (decimal.bits == 64) {
    return numbers_by<std::int64_t>(array, begin, end,
                                    [&](std::int64_t value) { return scaled(static_cast<double>(value)); });
  }
  struct Wide {
    std::uint64_t low;
    std::int64_t high;
  };
  return numbers_by<Wide>(array, begin, end, [&](const Wide& value) {
    const bool narrow = value.high == (static_cast<std::int64_t>(value.low) < 0 ? -1 : 0);
    return scaled(narrow ? static_cast<double>(static_cast<std::int64_t>(value.low))
                         : std::ldexp(static_cast<double>(value.high), 64) + static_cast<double>(value.low));
  });
}

// Durations count in seconds, as they do everywhere else.
std::vector<double> durations(char unit, const ArrowArray& array, std::int64_t begin, std::int64_t end) {
  const double a_second = unit == 's' ? 1.0 : unit == 'm' ? 1e3 : unit == 'u' ? 1e6 : 1e9;
  return numbers_by<std::int64_t>(array, begin, end,
                                  [&](std::int64_t value) { return static_cast<double>(value) / a_second; });
}

bool is_number(std::string_view format) {
  if (format.starts_with("tD") || decimal_of(format)) return true;
  return format.size() == 1 && std::string_view("cCsSiIlLefgbn").find(format) != std::string_view::npos;
}

// REQUIRES: is_number(format)
std::vector<double> numbers_of(std::string_view format, const ArrowArray& array, std::int64_t begin, std::int64_t end) {
  if (const std::optional<Decimal> decimal = decimal_of(format)) return decimals(*decimal, array, begin, end);
  switch (format[0]) {
    case 't':
      return durations(format[2], array, begin, end);
    case 'c':
      return numbers_as<std::int8_t>(array, begin, end);
    case 'C':
      return numbers_as<std::uint8_t>(array, begin, end);
    case 's':
      return numbers_as<std::int16_t>(array, begin, end);
    case 'S':
      return numbers_as<std::uint16_t>(array, begin, end);
    case 'i':
      return numbers_as<std::int32_t>(array, begin, end);
    case 'I':
      return numbers_as<std::uint32_t>(array, begin, end);
    case 'l':
      return numbers_as<std::int64_t>(array, begin, end);
    case 'L':
      return numbers_as<std::uint64_t>(array, begin, end);
    case 'e':
      return numbers_by<std::uint16_t>(array, begin, end, half);
    case 'f':
      return numbers_as<float>(array, begin, end);
    case 'g':
      return numbers_as<double>(array, begin, end);
    case 'b':
      return bits(array, begin, end);
    default:  // n: a column without values
      return std::vector<double>(static_cast<std::size_t>(end - begin), std::numeric_limits<double>::quiet_NaN());
  }
}

template <class Offset>
std::string_view text_by_offsets(const ArrowArray& array, std::int64_t i) {
  const auto* const offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  const auto* const bytes = static_cast<const char*>(array.buffers[2]);
  return {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

// String views: 16 bytes each, the length first; up to 12 bytes stand inside, others in buffer `which`.
std::string_view text_by_view(const ArrowArray& array, std::int64_t i) {
  const auto* const view = static_cast<const char*>(array.buffers[1]) + 16 * (array.offset + i);
  std::int32_t length = 0, which = 0, offset = 0;
  std::memcpy(&length, view, 4);
  if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
  std::memcpy(&which, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  return {static_cast<const char*>(array.buffers[2 + which]) + offset, static_cast<std::size_t>(length)};
}

bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }

std::string_view text_of(std::string_view format, const ArrowArray& array, std::int64_t i) {
  if (format == "vu") return text_by_view(array, i);
  return format == "U" ? text_by_offsets<std::int64_t>(array, i) : text_by_offsets<std::int32_t>(array, i);
}

// Each row's text by number, -1 for none, and the texts.
struct Coded {
  std::vector<std::int32_t> codes;
  std::vector<std::string> texts;
};

Coded code_texts(std::string_view format, const ArrowArray& array, std::int64_t begin, std::int64_t end) {
  Coded coded;
  std::unordered_map<std::string_view, std::int32_t> known;
  for (std::int64_t i = begin; i < end; ++i) {
    std::int32_t code = -1;
    if (is_valid(array, i)) {
      const std::string_view text = text_of(format, array, i);
      const auto [at, is_new] = known.emplace(text, static_cast<std::int32_t>(known.size()));
      if (is_new) coded.texts.emplace_back(text);
      code = at->second;
    }
    coded.codes.push_back(code);
  }
  return coded;
}

Coded code_dictionary(const ArrowSchema& schema, const ArrowArray& array, std::int64_t begin, std::int64_t end) {
  const std::string_view format = schema.dictionary->format;
  const ArrowArray& words = *array.dictionary;
  if (!is_text(format) && !is_number(format)) {
    refuse(std::string("column '") + schema.name + "' has categories that are neither texts nor numbers");
  }
  Coded coded;
  if (is_text(format)) {
    for (std::int64_t i = 0; i < words.length; ++i) {
      coded.texts.emplace_back(is_valid(words, i) ? text_of(format, words, i) : std::string_view());
    }
  } else {
    for (const double number : numbers_of(format, words, 0, words.length)) coded.texts.push_back(text(number));
  }
  for (const double index : numbers_of(schema.format, array, begin, end)) {
    coded.codes.push_back(index == index ? static_cast<std::int32_t>(index) : -1);
  }
  return coded;
}

// As NumPy has it.
constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

// Timestamps and dates: counts of a unit since 1970, or kNoTime.
std::vector<std::int64_t> counts_of(const ArrowArray& array, bool wide, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = array.offset + i;
    const std::int64_t count = wide ? static_cast<const std::int64_t*>(array.buffers[1])[at]
                                    : static_cast<const std::int32_t*>(array.buffers[1])[at];
    counts.push_back(is_valid(array, i) ? count : kNoTime);
  }
  return counts;
}

// "number", "text", "category", "time", or "" for what a row of numbers cannot be made of.
std::string kind_of(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) return "category";
  if (is_number(format)) return "number";
  if (is_text(format)) return "text";
  if (format.starts_with("ts") || format.starts_with("td"))
    return format == "tdD" || format == "tdm" || format[1] == 's' ? "time" : "";
  return "";
}

// The unit as NumPy names it, and the time zone.
std::pair<std::string, std::string> unit_of(std::string_view format) {
  if (format == "tdD") return {"D", ""};
  if (format == "tdm") return {"ms", ""};
  const std::string unit(1, format[2]);
  return {unit == "s" ? "s" : unit + "s", std::string(format.substr(4))};
}

class ArrowBatch {
 public:
  ArrowBatch(std::shared_ptr<Held<ArrowSchema>> schema, std::shared_ptr<Held<ArrowArray>> array)
      : schema_(std::move(schema)), array_(std::move(array)) {}

  std::int64_t rows() const { return array_->value.length; }

  // Rows begin to end of column c: an array, (codes, texts), or (counts, unit, zone), as kind_of says.
  nb::object column(std::int64_t c, std::int64_t begin, std::int64_t end) const {
    const ArrowSchema& schema = *schema_->value.children[c];
    const ArrowArray& array = *array_->value.children[c];
    const std::int64_t first = begin;
    begin += array_->value.offset;  // of the batch itself
    end += array_->value.offset;
    const std::string kind = kind_of(schema);
    if (kind == "number") {
      std::vector<double> numbers = numbers_of(schema.format, array, begin, end);
      return nb::cast(array_of(with_missing_rows(std::move(numbers), first, std::nan(""))));
    }
    if (kind == "time") {
      const auto [unit, zone] = unit_of(schema.format);
      std::vector<std::int64_t> counts = counts_of(array, unit != "D", begin, end);
      return nb::make_tuple(array_of(with_missing_rows(std::move(counts), first, kNoTime)), unit, zone);
    }
    if (kind.empty())
      refuse(std::string("column '") + schema.name + "' has the Arrow type '" + schema.format +
             "', which is neither number, text nor time");
    Coded coded =
        kind == "text" ? code_texts(schema.format, array, begin, end) : code_dictionary(schema, array, begin, end);
    return nb::make_tuple(array_of(with_missing_rows(std::move(coded.codes), first, -1)), coded.texts);
  }

 private:
  // A row that the batch itself calls missing has no values, whatever its columns hold.
  template <class Value>
  std::vector<Value> with_missing_rows(std::vector<Value> values, std::int64_t first, Value none) const {
    const std::int64_t end = first + static_cast<std::int64_t>(values.size());
    for (std::int64_t i = first; i < end; ++i) {
      if (!is_valid(array_->value, i)) values[static_cast<std::size_t>(i - first)] = none;
    }
    return values;
  }

  std::shared_ptr<Held<ArrowSchema>> schema_;
  std::shared_ptr<Held<ArrowArray>> array_;
};

class ArrowStream {
 public:
  explicit ArrowStream(const nb::capsule& capsule) {
    take(capsule, "arrow_array_stream", stream_->value);
    check(stream_->value.get_schema(&stream_->value, &schema_->value));
    require_table();
  }
  // One batch.
  ArrowStream(const nb::capsule& schema, const nb::capsule& array) : single_(std::make_shared<Held<ArrowArray>>()) {
    take(schema, "arrow_schema", schema_->value);
    take(array, "arrow_array", single_->value);
    require_table();
  }

 private:
  template <class T>
  static void take(const nb::capsule& capsule, const char* its_name, T& taken) {
    if (std::strcmp(capsule.name(), its_name) != 0) refuse(std::string("this capsule is no ") + its_name);
    auto* const given = static_cast<T*>(capsule.data());
    if (given->release == nullptr) refuse("this Arrow stream was read already");
    taken = *given;
    given->release = nullptr;
  }
  void require_table() const {
    if (std::string_view(schema_->value.format) != "+s")
      refuse("this Arrow stream is of a single column, not of a table");
  }

 public:
  // Name and kind of each column.
  std::vector<std::pair<std::string, std::string>> columns() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (std::int64_t c = 0; c < schema_->value.n_children; ++c) {
      const ArrowSchema& child = *schema_->value.children[c];
      all.emplace_back(child.name == nullptr ? "" : child.name, kind_of(child));
    }
    return all;
  }

  std::optional<ArrowBatch> next() {
    if (stream_->value.release == nullptr) {
      if (!single_) return std::nullopt;
      return ArrowBatch(schema_, std::exchange(single_, nullptr));
    }
    auto array = std::make_shared<Held<ArrowArray>>();
    {
      const nb::gil_scoped_release release;  // a producer may read files
      check(stream_->value.get_next(&stream_->value, &array->value));
    }
    if (array->value.release == nullptr) return std::nullopt;
    return ArrowBatch(schema_, std::move(array));
  }

 private:
  void check(int code) {
    if (code == 0) return;
    const char* const why = stream_->value.get_last_error(&stream_->value);
    throw Error(Code::io, std::string("the Arrow stream failed: ") + (why == nullptr ? std::strerror(code) : why));
  }

  std::shared_ptr<Held<ArrowArrayStream>> stream_ = std::make_shared<Held<ArrowArrayStream>>();
  std::shared_ptr<Held<ArrowSchema>> schema_ = std::make_shared<Held<ArrowSchema>>();
  std::shared_ptr<Held<ArrowArray>> single_;
};

}  // namespace

void bind_arrow_in(nb::module_& m) {
  nb::class_<ArrowBatch>(m, "ArrowBatch").def_prop_ro("rows", &ArrowBatch::rows).def("column", &ArrowBatch::column);
  nb::class_<ArrowStream>(m, "ArrowStream")
      .def(nb::init<nb::capsule>())
      .def(nb::init<nb::capsule, nb::capsule>())
      .def_prop_ro("columns", &ArrowStream::columns)
      .def("next", &ArrowStream::next);
}

}  // namespace expose::python

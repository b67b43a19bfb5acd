#include "io/arrow_values.hpp"

#include <arrow/api.h>
#include <arrow/util/float16.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <limits>

#include "expose/base/text.hpp"

namespace expose::io {

namespace {

using arrow::Type;

template <class ArrayOf>
void read(const arrow::Array& array, double* into, std::size_t stride) {
  const auto& values = static_cast<const ArrayOf&>(array);
  for (std::int64_t i = 0; i < array.length(); ++i, into += stride) {
    *into = array.IsNull(i) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(values.Value(i));
  }
}

double half(const arrow::Array& array, std::int64_t i) {
  return arrow::util::Float16::FromBits(static_cast<const arrow::HalfFloatArray&>(array).Value(i)).ToDouble();
}

void read_halves(const arrow::Array& array, double* into, std::size_t stride) {
  for (std::int64_t i = 0; i < array.length(); ++i, into += stride) {
    *into = array.IsNull(i) ? std::numeric_limits<double>::quiet_NaN() : half(array, i);
  }
}

template <class... Arguments>
std::string written(const char* format, Arguments... arguments) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, arguments...);
  return buffer.data();
}

std::string iso_date(std::int64_t days) {
  using std::chrono::sys_days, std::chrono::year;
  constexpr auto kFirst = sys_days(year::min() / 1 / 1).time_since_epoch().count();
  constexpr auto kLast = sys_days(year::max() / 12 / 31).time_since_epoch().count();
  if (days < kFirst || days > kLast) return std::to_string(days) + " days after 1970-01-01";  // which is no time
  const std::chrono::year_month_day date{sys_days(std::chrono::days(static_cast<int>(days)))};
  return written("%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                 static_cast<unsigned>(date.day()));
}

// So many digits behind the point of a second.
int digits_of(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 0;
    case arrow::TimeUnit::MILLI:
      return 3;
    case arrow::TimeUnit::MICRO:
      return 6;
    default:
      return 9;
  }
}

std::int64_t ticks(int digits) {
  std::int64_t power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  return power;
}

// The time of day; REQUIRES: value >= 0
std::string iso_clock(std::int64_t value, int digits) {
  const std::int64_t second = value / ticks(digits), part = value % ticks(digits);
  std::string clock = written("%02d:%02d:%02d", static_cast<int>(second / 3600), static_cast<int>(second / 60 % 60),
                              static_cast<int>(second % 60));
  if (part > 0) clock += written(".%0*lld", digits, static_cast<long long>(part));
  return clock;
}

std::string iso_time(std::int64_t value, int digits) {
  const std::int64_t day = 86400 * ticks(digits);
  const std::int64_t past = value % day;  // of the day; value - days * day may have no room in 64 bits
  const std::int64_t days = value / day - (past < 0 ? 1 : 0);
  return iso_date(days) + "T" + iso_clock(past < 0 ? past + day : past, digits);
}

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

bool is_text(Type::type id) {
  return id == Type::STRING || id == Type::LARGE_STRING || id == Type::BINARY || id == Type::LARGE_BINARY ||
         id == Type::DICTIONARY || id == Type::STRING_VIEW || id == Type::BINARY_VIEW;
}

// A value inside of a list.
std::string inner_text(const arrow::Array& array, std::int64_t i) {
  if (array.IsNull(i)) return "null";
  std::string scratch;
  const std::string_view text = text_at(array, i, scratch);
  return is_text(array.type_id()) ? quoted(text) : std::string(text);
}

template <class List>
std::string list_text(const arrow::Array& array, std::int64_t i) {
  const auto& list = static_cast<const List&>(array);
  std::string text = "[";
  for (std::int64_t j = 0; j < list.value_length(i); ++j) {
    text += (j > 0 ? "," : "") + inner_text(*list.values(), list.value_offset(i) + j);
  }
  return text + "]";
}

std::string struct_text(const arrow::Array& array, std::int64_t i) {
  const auto& values = static_cast<const arrow::StructArray&>(array);
  std::string text = "{";
  for (int f = 0; f < values.num_fields(); ++f) {
    text += (f > 0 ? "," : "") + quoted(values.struct_type()->field(f)->name()) + ":" + inner_text(*values.field(f), i);
  }
  return text + "}";
}

template <class ArrayOf>
std::string_view view(const arrow::Array& array, std::int64_t i) {
  return static_cast<const ArrayOf&>(array).GetView(i);
}

template <class ArrayOf>
std::int64_t value(const arrow::Array& array, std::int64_t i) {
  return static_cast<std::int64_t>(static_cast<const ArrayOf&>(array).Value(i));
}

// What has to be written down first.
std::string made_text(const arrow::Array& array, std::int64_t i) {
  switch (array.type_id()) {
    case Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(i) ? "1" : "0";
    case Type::HALF_FLOAT:
      return text(half(array, i));
    case Type::FLOAT:
      return text(static_cast<const arrow::FloatArray&>(array).Value(i));
    case Type::DOUBLE:
      return text(static_cast<const arrow::DoubleArray&>(array).Value(i));
    case Type::INT8:
      return std::to_string(value<arrow::Int8Array>(array, i));
    case Type::INT16:
      return std::to_string(value<arrow::Int16Array>(array, i));
    case Type::INT32:
      return std::to_string(value<arrow::Int32Array>(array, i));
    case Type::INT64:
      return std::to_string(value<arrow::Int64Array>(array, i));
    case Type::DATE32:
      return iso_date(value<arrow::Date32Array>(array, i));
    case Type::DATE64:
      return iso_time(value<arrow::Date64Array>(array, i), 3).substr(0, 10);
    case Type::TIMESTAMP: {
      const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
      return iso_time(value<arrow::TimestampArray>(array, i), digits_of(type.unit())) +
             (type.timezone().empty() ? "" : "Z");
    }
    case Type::TIME32:
      return iso_clock(value<arrow::Time32Array>(array, i),
                       digits_of(static_cast<const arrow::TimeType&>(*array.type()).unit()));
    case Type::TIME64:
      return iso_clock(value<arrow::Time64Array>(array, i),
                       digits_of(static_cast<const arrow::TimeType&>(*array.type()).unit()));
    case Type::DURATION:
      return std::to_string(value<arrow::DurationArray>(array, i));
    case Type::LIST:
    case Type::MAP:
      return list_text<arrow::ListArray>(array, i);
    case Type::LARGE_LIST:
      return list_text<arrow::LargeListArray>(array, i);
    case Type::FIXED_SIZE_LIST:
      return list_text<arrow::FixedSizeListArray>(array, i);
    case Type::STRUCT:
      return struct_text(array, i);
    default: {
      const auto scalar = array.GetScalar(i);
      return scalar.ok() ? (*scalar)->ToString() : std::string();
    }
  }
}

}  // namespace

bool is_number(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id()) || type.id() == Type::BOOL ||
         type.id() == Type::DURATION;
}

void read_numbers(const arrow::Array& array, double* into, std::size_t stride) {
  switch (array.type_id()) {
    case Type::BOOL:
      return read<arrow::BooleanArray>(array, into, stride);
    case Type::INT8:
      return read<arrow::Int8Array>(array, into, stride);
    case Type::INT16:
      return read<arrow::Int16Array>(array, into, stride);
    case Type::INT32:
      return read<arrow::Int32Array>(array, into, stride);
    case Type::INT64:
      return read<arrow::Int64Array>(array, into, stride);
    case Type::UINT8:
      return read<arrow::UInt8Array>(array, into, stride);
    case Type::UINT16:
      return read<arrow::UInt16Array>(array, into, stride);
    case Type::UINT32:
      return read<arrow::UInt32Array>(array, into, stride);
    case Type::UINT64:
      return read<arrow::UInt64Array>(array, into, stride);
    case Type::HALF_FLOAT:
      return read_halves(array, into, stride);
    case Type::FLOAT:
      return read<arrow::FloatArray>(array, into, stride);
    case Type::DURATION:
      return read<arrow::DurationArray>(array, into, stride);
    default:
      return read<arrow::DoubleArray>(array, into, stride);
  }
}

std::string_view text_at(const arrow::Array& array, std::int64_t i, std::string& scratch) {
  if (array.IsNull(i)) return {};
  switch (array.type_id()) {
    case Type::STRING:
    case Type::BINARY:
      return view<arrow::BinaryArray>(array, i);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return view<arrow::LargeBinaryArray>(array, i);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return view<arrow::BinaryViewArray>(array, i);
    case Type::DICTIONARY: {
      const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
      return text_at(*coded.dictionary(), coded.GetValueIndex(i), scratch);
    }
    default:
      scratch = made_text(array, i);
      return scratch;
  }
}

}  // namespace expose::io

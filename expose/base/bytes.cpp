#include "expose/base/bytes.hpp"

#include <bit>
#include <limits>

#include "expose/base/error.hpp"

namespace expose {

// Byte i of a value is (value / 256^i) mod 256: shifts, not memory, so the machine's own byte order never shows.
template <class Bits>
void Writer::put(Bits value) {
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}

template <class Bits, class T>
void Writer::put_all(std::span<const T> values) {
  static_assert(sizeof(Bits) == sizeof(T));
  bytes_.reserve(bytes_.size() + sizeof(std::uint64_t) + values.size_bytes());
  u64(values.size());
  for (const T value : values) put(std::bit_cast<Bits>(value));
}

void Writer::u8(std::uint8_t value) { put(value); }
void Writer::u16(std::uint16_t value) { put(value); }
void Writer::u32(std::uint32_t value) { put(value); }
void Writer::u64(std::uint64_t value) { put(value); }
void Writer::i64(std::int64_t value) { put(std::bit_cast<std::uint64_t>(value)); }
void Writer::f32(float value) { put(std::bit_cast<std::uint32_t>(value)); }
void Writer::f64(double value) { put(std::bit_cast<std::uint64_t>(value)); }

void Writer::text(std::string_view value) {
  constexpr std::size_t kLongest = std::numeric_limits<std::uint32_t>::max();
  if (value.size() > kLongest) {
    throw Error(Code::overflow, "a text has " + std::to_string(value.size()) + " bytes, at most " +
                                    std::to_string(kLongest) + " can be written");
  }
  u32(static_cast<std::uint32_t>(value.size()));
  raw(std::as_bytes(std::span(value)));
}

void Writer::raw(std::span<const std::byte> values) { bytes_.insert(bytes_.end(), values.begin(), values.end()); }

void Writer::f32s(std::span<const float> values) { put_all<std::uint32_t>(values); }
void Writer::f64s(std::span<const double> values) { put_all<std::uint64_t>(values); }
void Writer::i64s(std::span<const std::int64_t> values) { put_all<std::uint64_t>(values); }

template <class Bits>
Bits Reader::take() {
  std::uint64_t value = 0;
  const auto bytes = raw(sizeof(Bits));
  for (std::size_t i = 0; i < sizeof(Bits); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return static_cast<Bits>(value);
}

template <class Bits, class T>
std::vector<T> Reader::take_all() {
  static_assert(sizeof(Bits) == sizeof(T));
  std::vector<T> values(count(sizeof(T)));
  for (T& value : values) value = std::bit_cast<T>(take<Bits>());
  return values;
}

std::uint8_t Reader::u8() { return take<std::uint8_t>(); }
bool Reader::yes_no() {
  Reader ahead = *this;  // after an Error this one stands where it stood
  const std::uint8_t value = ahead.u8();
  if (value > 1) throw Error(Code::corrupt, "a yes or no is 1 or 0, this one is " + std::to_string(value));
  *this = ahead;
  return value == 1;
}
std::uint16_t Reader::u16() { return take<std::uint16_t>(); }
std::uint32_t Reader::u32() { return take<std::uint32_t>(); }
std::uint64_t Reader::u64() { return take<std::uint64_t>(); }
std::int64_t Reader::i64() { return std::bit_cast<std::int64_t>(take<std::uint64_t>()); }
float Reader::f32() { return std::bit_cast<float>(take<std::uint32_t>()); }
double Reader::f64() { return std::bit_cast<double>(take<std::uint64_t>()); }

std::string Reader::text() {
  Reader ahead(*this);
  const auto bytes = ahead.raw(ahead.u32());
  std::string value(bytes.size(), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) value[i] = static_cast<char>(bytes[i]);
  *this = ahead;
  return value;
}

std::span<const std::byte> Reader::raw(std::size_t n) {
  if (n > left()) {
    throw Error(Code::corrupt, "at byte " + std::to_string(position_) + ": " + std::to_string(n) +
                                   " bytes are wanted, " + std::to_string(left()) + " are left");
  }
  const auto bytes = bytes_.subspan(position_, n);
  position_ += n;
  return bytes;
}

std::size_t Reader::count(std::size_t element_bytes) {
  Reader ahead(*this);
  const std::uint64_t n = ahead.u64();
  if (n > ahead.left() / element_bytes) {
    throw Error(Code::corrupt, "at byte " + std::to_string(position_) + ": " + std::to_string(n) + " elements of " +
                                   std::to_string(element_bytes) + " bytes are claimed, " +
                                   std::to_string(ahead.left()) + " bytes are left");
  }
  *this = ahead;
  return static_cast<std::size_t>(n);
}

std::vector<float> Reader::f32s() { return take_all<std::uint32_t, float>(); }
std::vector<double> Reader::f64s() { return take_all<std::uint64_t, double>(); }
std::vector<std::int64_t> Reader::i64s() { return take_all<std::uint64_t, std::int64_t>(); }

}  // namespace expose

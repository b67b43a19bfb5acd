// Writer and Reader: numbers and texts as bytes, least significant byte first on every machine.
//
// The pair is symmetric: what Writer::x put in, Reader::x takes out, bit for bit (NaN included). A file is hostile
// (law 6): Reader never looks past its end and never allocates more than the bytes it was given can fill. After an
// Error it stands where it stood before.
// Plain values; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace expose {

class Writer {
 public:
  void u8(std::uint8_t value);
  void u16(std::uint16_t value);
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  void i64(std::int64_t value);
  void f32(float value);
  void f64(double value);

  // Its length as u32, then its bytes. Throws Code::overflow from 2^32 bytes on.
  void text(std::string_view value);
  // The bytes alone: the reader must know how many.
  void raw(std::span<const std::byte> values);

  // Their number as u64, then the numbers.
  void f32s(std::span<const float> values);
  void f64s(std::span<const double> values);
  void i64s(std::span<const std::int64_t> values);

  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <class Bits>
  void put(Bits value);
  template <class Bits, class T>
  void put_all(std::span<const T> values);

  std::vector<std::byte> bytes_;
};

// A view: the bytes must outlive it. Each call throws Code::corrupt, with the position, the bytes wanted and the bytes
// left, where too few are left.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  // Keeps temporaries from being read after they are gone.
  explicit Reader(std::vector<std::byte>&& bytes) = delete;

  std::uint8_t u8();
  // A u8 that is 0 or 1; anything else is corrupt.
  bool yes_no();
  std::uint16_t u16();
  std::uint32_t u32();
  std::uint64_t u64();
  std::int64_t i64();
  float f32();
  double f64();

  std::string text();
  // The next n bytes, as a view.
  std::span<const std::byte> raw(std::size_t n);

  // A u64 that claims so many elements, each of at least element_bytes bytes, to follow: throws unless that many bytes
  // are left, so that the claim may be allocated. REQUIRES: element_bytes > 0
  std::size_t count(std::size_t element_bytes);

  std::vector<float> f32s();
  std::vector<double> f64s();
  std::vector<std::int64_t> i64s();

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  bool done() const { return left() == 0; }

 private:
  template <class Bits>
  Bits take();
  template <class Bits, class T>
  std::vector<T> take_all();

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace expose

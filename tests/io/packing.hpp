// gz and zst files as simple as they can be: bytes stored as they are. What real programs pack is tested with bytes
// that they wrote.
#pragma once

#include <cstdint>
#include <string>

namespace expose::io {

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

// RFC 1952, with the stored blocks of RFC 1951.
inline std::string gz(const std::string& bytes) {
  std::string packed("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
  for (std::size_t at = 0; at < bytes.size() || at == 0; at += 60000) {
    const std::string block = bytes.substr(at, 60000);
    packed += at + 60000 >= bytes.size() ? '\1' : '\0';
    packed += little_endian(block.size(), 2) + little_endian(~block.size(), 2) + block;
  }
  return packed + little_endian(crc32(bytes), 4) + little_endian(bytes.size(), 4);
}

// RFC 8878: a frame with raw blocks, without size and checksum.
inline std::string zst(const std::string& bytes) {
  std::string packed("\x28\xb5\x2f\xfd\x00\x58", 6);
  for (std::size_t at = 0; at < bytes.size() || at == 0; at += 100000) {
    const std::string block = bytes.substr(at, 100000);
    packed += little_endian(block.size() << 3 | (at + 100000 >= bytes.size() ? 1 : 0), 3) + block;
  }
  return packed;
}

}  // namespace expose::io

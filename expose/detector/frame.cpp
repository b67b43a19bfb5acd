#include "expose/detector/frame.hpp"

#include <algorithm>
#include <string_view>

#include "expose/base/hash.hpp"

namespace expose {

namespace {

// Line ends of both worlds: a transfer in text mode changes them, and shows.
constexpr std::string_view kMagic = "EXPOSE\r\n";
constexpr std::size_t kMagicWord = 6;  // as much of it as survives text mode
constexpr std::size_t kPreamble = kBeginning + 8 + 8;
constexpr std::size_t kChecksum = 8;

[[noreturn]] void throw_corrupt(const std::string& sentence) { throw Error(Code::corrupt, sentence); }

std::string bytes_text(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

void require_version(std::uint32_t version) {
  if (version == 0) throw_corrupt("this file has format version 0, versions count from 1: it is damaged");
  if (version <= kFormatVersion) return;
  throw Error(Code::incompatible, "this file has format version " + std::to_string(version) +
                                      ", this library reads up to " + std::to_string(kFormatVersion) +
                                      "; a newer EXPoSE wrote it");
}

FileKind known(std::uint8_t kind) {
  const auto named = static_cast<FileKind>(kind);
  if (named == FileKind::detector || named == FileKind::watcher) return named;
  throw_corrupt("this file is of kind " + std::to_string(kind) + ", the kinds are 1 (detector) and 2 (watcher)");
}

// The lengths say how long the whole file is, so one that was cut short is known as such.
void require_lengths(std::uint64_t header, std::uint64_t body, std::size_t size) {
  const auto complain = [&](const std::string& what) {
    throw_corrupt("this file " + what + ": it has " + bytes_text(size) + ", and claims a header of " +
                  std::to_string(header) + " and a body of " + bytes_text(body));
  };
  const std::uint64_t room = size - std::min(size, kPreamble + kChecksum);
  if (size < kPreamble + kChecksum || header > room || body > room - header) complain("is cut short");
  if (body < room - header) complain("has more bytes than it should");
}

}  // namespace

std::string name(FileKind kind) { return kind == FileKind::detector ? "detector" : "watcher"; }

std::vector<std::byte> frame(FileKind kind, std::uint32_t version, const std::string& header,
                             std::span<const std::byte> body) {
  Writer writer;
  writer.raw(std::as_bytes(std::span(kMagic)));
  writer.u32(version);
  writer.u8(static_cast<std::uint8_t>(kind));
  writer.u64(header.size());
  writer.u64(body.size());
  writer.raw(std::as_bytes(std::span(header)));
  writer.raw(body);
  writer.u64(hash64(writer.bytes()));
  return writer.bytes();
}

void require_magic(std::span<const std::byte> beginning) {
  if (beginning.empty()) throw_corrupt("this file is empty");
  const auto wanted = std::as_bytes(std::span(kMagic));
  const std::size_t n = std::min(beginning.size(), wanted.size());
  if (!std::ranges::equal(beginning.first(n), wanted.first(n))) {
    const std::size_t word = std::min(n, kMagicWord);
    if (word < kMagicWord || !std::ranges::equal(beginning.first(word), wanted.first(word))) {
      throw_corrupt("this is not an EXPoSE file");
    }
    throw_corrupt("the line ends of this file were changed, as by a transfer in text mode: it is damaged");
  }
  if (n < wanted.size()) throw_corrupt("this file is cut short: it has " + bytes_text(n));
}

FileKind kind_of_beginning(std::span<const std::byte> beginning) {
  require_magic(beginning);
  if (beginning.size() < kBeginning) {
    throw_corrupt("this file is cut short: it has " + bytes_text(beginning.size()));
  }
  Reader reader(beginning);
  reader.raw(kMagic.size());
  require_version(reader.u32());
  return known(reader.u8());
}

Framed unframe(std::span<const std::byte> bytes) {
  require_magic(bytes);
  if (bytes.size() < kPreamble) throw_corrupt("this file is cut short: it has " + bytes_text(bytes.size()));
  Reader reader(bytes);
  reader.raw(kMagic.size());
  const std::uint32_t version = reader.u32();
  require_version(version);
  const std::uint8_t kind = reader.u8();
  const std::uint64_t header = reader.u64();
  const std::uint64_t body = reader.u64();
  require_lengths(header, body, bytes.size());
  Framed framed{static_cast<FileKind>(kind), version, reader.raw(header), reader.raw(body)};
  const std::uint64_t found = hash64(bytes.first(reader.position()));
  const std::uint64_t claimed = reader.u64();
  if (found != claimed) {
    throw_corrupt("this file is damaged: its checksum is " + hex(found) + ", it should be " + hex(claimed));
  }
  known(kind);
  return framed;
}

void require_kind(const Framed& framed, FileKind wanted) {
  if (framed.kind == wanted) return;
  throw Error(Code::incompatible, "this is the file of a " + name(framed.kind) + ", not of a " + name(wanted));
}

}  // namespace expose

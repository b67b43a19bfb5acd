// The frame around everything EXPoSE stores: what it is, a header for people, a body for programs, a checksum.
//
//   magic (8 bytes), format version (u32), kind (u8), length of the header (u64), length of the body (u64),
//   header (JSON, UTF-8), body, XXH3 of all that stands before it (u64)
//
// The body alone is the content: the header is never parsed. docs/model-format.md has it all.
// Pure functions; any number of threads may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "expose/base/bytes.hpp"
#include "expose/base/error.hpp"
#include "expose/detector/file_kind.hpp"
#include "expose/detector/options.hpp"

namespace expose {

// The latest version; all from 1 to this one are read. What an older one can hold is written as that one:
//   2  plans and options that integrate missing values out
//   3  plans and options with a table; watchers that count rows without any value
inline constexpr std::uint32_t kFormatVersion = 3;
inline std::uint32_t version_for(Missing missing, bool has_news) {  // of version 3
  return has_news ? 3 : missing == Missing::integrate ? 2 : 1;
}

std::vector<std::byte> frame(FileKind kind, std::uint32_t version, const std::string& header,
                             std::span<const std::byte> body);

// Views into the bytes that were unframed, which must outlive it.
struct Framed {
  FileKind kind;
  std::uint32_t version;
  std::span<const std::byte> header;
  std::span<const std::byte> body;
};

// Throws Code::corrupt, with a sentence of its own for a file that is empty, foreign, cut short or damaged, and
// Code::incompatible for a newer format version.
Framed unframe(std::span<const std::byte> bytes);
// Keeps temporaries from being looked at after they are gone.
Framed unframe(std::vector<std::byte>&& bytes) = delete;

// What unframe says about the magic, for those who have only the beginning of a file so far.
void require_magic(std::span<const std::byte> beginning);
// The kind of a file of which these are the first kBeginning bytes, or all. Throws as unframe does.
inline constexpr std::size_t kBeginning = 8 + 4 + 1;
FileKind kind_of_beginning(std::span<const std::byte> beginning);

// Throws Code::incompatible, naming both, for a file of another kind.
void require_kind(const Framed& framed, FileKind wanted);

// read(Reader&, version) for a body, all of it. What is wrong with numbers in a file is the file's fault: any Error of
// the parts leaves as Code::corrupt.
template <class Read>
auto read_body(const Framed& framed, const Read& read) {
  try {
    Reader reader(framed.body);
    auto content = read(reader, framed.version);
    if (reader.done()) return content;
    throw Error(Code::corrupt, "the body ends at byte " + std::to_string(reader.position()) + ", " +
                                   std::to_string(reader.left()) + " bytes follow");
  } catch (const Error& error) {
    throw Error(Code::corrupt, error.what());
  }
}

}  // namespace expose

// Hostile bytes for the npy reader, which must not believe what a header says: rows or an Error, the same for any
// blocks.
#include "io/npy.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "fuzz/tables.hpp"

namespace {

using namespace expose;
using namespace expose::io;

std::string read(const std::string& bytes, std::size_t block_bytes, bool numbers) {
  return fuzz::in_words_or_complaint([&]() -> std::string {
    ReadOptions options;
    options.block_bytes = block_bytes;
    const auto table = npy_table(in_memory(bytes), "file", options);
    if (table->names().size() > 1000) return "";  // slow, and nothing new
    return fuzz::read_all(table, numbers);
  });
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// Inputs begin as real files, of all types.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (size < 64 || seed % 64 == 0) {
    const char* const types[] = {"<f4", "<f8", "|i1", ">i2", "<i4", "<i8", "|u1", ">u4", "|b1"};
    const std::string text = std::string("{'descr': '") + types[seed / 64 % 9] +
                             "', 'fortran_order': " + (seed % 2 == 0 ? "True" : "False") + ", 'shape': (2, 3), }\n";
    std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text;
    file += std::string(48, static_cast<char>(seed));
    if (file.size() <= most) {
      std::memcpy(data, file.data(), file.size());
      size = file.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const bool numbers : {false, true}) {
    const std::string whole = read(bytes, std::size_t{1} << 20, numbers);
    fuzz::require(read(bytes, 16, numbers) == whole);
  }
  return 0;
}

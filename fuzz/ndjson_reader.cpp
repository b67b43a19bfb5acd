// Hostile bytes for the ndjson reader: whatever they are, the answer is rows or an Error, and the same one for any
// blocks. Inputs begin as real lines: an object is hardly ever found by chance.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "fuzz/tables.hpp"
#include "io/ndjson.hpp"

namespace {

using namespace expose;
using namespace expose::io;

std::string read(std::string_view bytes, const ReadOptions& options, bool numbers) {
  return fuzz::in_words_or_complaint(
      [&] { return fuzz::read_all(fuzz::text_table(bytes, ndjson_format(bytes, true), options), numbers); });
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  constexpr std::array<std::string_view, 4> kSeeds = {
      "\x07{\"a\": 1, \"b\": \"x\"}\n{\"b\": \"y\", \"a\": -2.5e3}\n",
      "\x1f{\"kind\": \"caf\\u00e9\", \"n\": null}\r\n\n{\"n\": true, \"more\": [1, {\"x\": 2}]}",
      "\x03{\"user\": {\"age\": 41, \"id\": {\"k\": \"\"}}, \"when\": \"2026-11-15T17:50:14Z\"}\n",
      "\x7f{\"a\": 1}\n{\"a\": 1e400}\n{\"a\": \"1\"\n{\"a\": 2} 3\n[1]\n{\"a\": 3, \"a\": 4}\n"};
  const std::string_view start = kSeeds[seed / 64 % kSeeds.size()];
  if ((size < 8 || seed % 64 == 0) && start.size() <= most) {
    std::ranges::copy(start, data);
    size = start.size();
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const bool numbers : {false, true}) {
    ReadOptions cut;
    cut.block_bytes = fuzz::kWhole;
    const std::string whole = read(bytes, cut, numbers);
    cut.block_bytes = 1 + data[0];
    fuzz::require(read(bytes, cut, numbers) == whole);
  }
  return 0;
}

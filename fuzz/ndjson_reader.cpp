// Hostile bytes for the ndjson reader: whatever they are, the answer is rows or an Error, and the same one for any
// blocks.
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

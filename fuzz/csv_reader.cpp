// Hostile bytes for the csv reader: whatever they are, the answer is rows or an Error, and always the same one.
//
// The first bytes choose delimiter, header and the size of blocks; the rest is the file. What comes out of small blocks
// must be what comes out of one large block, as texts and as numbers. A line may have few bytes here, so that the limit
// is met too.
#include <cstdint>
#include <string_view>

#include "fuzz/tables.hpp"
#include "io/csv.hpp"

namespace {

using namespace expose;
using namespace expose::io;

std::string read(std::string_view bytes, const ReadOptions& options, bool numbers) {
  return fuzz::in_words_or_complaint([&] {
    const Dialect dialect = detect_dialect(bytes, true, options.delimiter, options.header);
    return fuzz::read_all(fuzz::text_table(bytes, csv_format(dialect), options), numbers);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  ReadOptions options;
  options.block_bytes = fuzz::kWhole;
  if (data[0] % 2 == 0) options.delimiter = ',';
  if (data[0] % 4 < 2) options.header = data[0] % 8 < 4;
  for (const bool numbers : {false, true}) {
    const std::string whole = read(bytes, options, numbers);
    ReadOptions cut = options;
    cut.block_bytes = 1 + data[1];
    fuzz::require(read(bytes, cut, numbers) == whole);
    cut.most_line_bytes = 64;
    read(bytes, cut, numbers);
  }
  return 0;
}

// What the fuzzers of the readers share: a table out of bytes, and all that comes out of it as one text to compare.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/encode/encoder.hpp"
#include "expose/encode/guess.hpp"
#include "io/source.hpp"
#include "io/text_table.hpp"

namespace expose::fuzz {

inline void require(bool good) {
  if (!good) std::abort();
}

constexpr std::size_t kWhole = 8192;  // bytes: more than an input has

// read(), or the complaint of its Error.
template <class Read>
std::string in_words_or_complaint(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    return error.what();
  }
}

inline std::unique_ptr<io::TableReader> text_table(std::string_view bytes, std::unique_ptr<io::TextFormat> format,
                                                   const io::ReadOptions& options) {
  return std::make_unique<io::TextTable>(io::in_memory(std::string(bytes)), std::move(format), "file", options);
}

inline std::string in_words(const TableBlock& block, const Layout& layout) {
  std::string words;
  auto bad = block.bad().begin();
  for (std::size_t i = 0; i < block.rows(); ++i) {
    words += std::to_string(block.first_row + i) + " " + std::to_string(block.line(i));
    for (std::size_t t = 0; t < layout.texts; ++t) words += "|" + std::string(block.text(i, t));
    for (std::size_t k = 0; k < layout.width; ++k) words += "|" + text(block.numbers(i)[k]);
    if (bad != block.bad().end() && bad->row == i) words += (bad++)->reason;
    words += "\n";
  }
  require(bad == block.bad().end());
  return words;
}

// Texts; or numbers, after a guess of what the columns are.
inline std::string read_all(const std::unique_ptr<io::TableReader>& reader, bool numbers) {
  std::string words;
  TableBlock block;
  try {
    Layout layout = all_texts(reader->names().size());
    std::unique_ptr<Encoder> encoder;
    if (numbers) {
      const Guess guess = io::guess_columns(*reader, {.time = reader->names().back()});
      words = guess.columns.description();
      encoder = std::make_unique<Encoder>(guess.columns, reader->names());
      layout = encoder->layout();
    }
    reader->expect(layout, [&](TableBlock& parsed) {
      if (encoder) encoder->encode(parsed);
    });
    while (reader->next(block)) {
      require(block.rows() > 0);
      words += in_words(block, layout);
    }
  } catch (const Error& error) {
    words += error.what();
  }
  return words;
}

}  // namespace expose::fuzz

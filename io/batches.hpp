// Batches: the bytes of a stream in portions of whole records, cut into pieces.
//
// A record that does not end within a portion is carried over to the next; one that does not end within the limit is a
// failure. One thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "expose/base/error.hpp"
#include "io/stream.hpp"
#include "io/text_format.hpp"

namespace expose::io {

struct Batch {
  std::vector<char> bytes;        // with at least kPadding behind the last piece
  std::vector<std::size_t> ends;  // of the pieces, ascending
  bool last = false;
  bool open_end = false;         // the last record has no newline of its own
  std::optional<Error> failure;  // why it is the last one, if that is not the end of the stream

  std::span<const char> piece(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(bytes).subspan(begin, ends[i] - begin);
  }
};

class Batches {
 public:
  struct Sizes {
    std::size_t piece;
    std::size_t batch;  // what is read at once
    std::size_t limit;  // of a record, if that is more
  };

  Batches(ByteStream& stream, const TextFormat& format, Sizes sizes)
      : stream_(stream), format_(format), sizes_(sizes) {}

  // Goes to the first record. REQUIRES: the stream was rewound
  void begin();
  // The next portion: as much as there is without waiting, but at least one record, unless it is the last.
  void fill(Batch& batch);

 private:
  void read(Batch& batch, std::size_t& size, std::size_t target);
  void give_up(Batch& batch, std::size_t size) const;
  bool has_record(const Batch& batch, std::size_t size) const;

  ByteStream& stream_;
  const TextFormat& format_;
  Sizes sizes_;
  std::vector<char> rest_;        // what was read and is not given
  std::optional<Error> failure_;  // met on the way to the first record
};

}  // namespace expose::io

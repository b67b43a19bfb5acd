#include "io/batches.hpp"

#include <algorithm>
#include <string>

namespace expose::io {

void Batches::begin() {
  rest_.assign(format_.skip_bytes(), '\0');
  failure_.reset();
  try {
    read_fully(stream_, rest_);
  } catch (const Error& error) {
    failure_ = error;
  }
  rest_.clear();
}

bool Batches::has_record(const Batch& batch, std::size_t size) const {
  std::vector<std::size_t> ends;
  format_.cut(std::span(batch.bytes).first(size), sizes_.piece, false, ends);
  return !ends.empty();
}

void Batches::read(Batch& batch, std::size_t& size, std::size_t target) {
  if (batch.bytes.size() < target + 1 + kPadding) batch.bytes.resize(target + 1 + kPadding);
  try {
    while (size < target) {
      if (size > 0 && !stream_.ready() && has_record(batch, size)) return;
      const std::size_t n = stream_.read(std::span(batch.bytes).subspan(size, target - size));
      if (n == 0) {
        batch.last = true;
        return;
      }
      size += n;
    }
  } catch (const Error& error) {
    batch.failure = error;
    batch.last = true;
  }
}

// The first record is longer than the limit. If that is because a quote was never closed, only its line is lost.
void Batches::give_up(Batch& batch, std::size_t size) const {
  format_.cut(std::span(batch.bytes).first(size), sizes_.piece, true, batch.ends);
  if (!batch.ends.empty()) {
    batch.ends.resize(1);
    return;
  }
  batch.failure = Error(Code::corrupt, "this line has no end within " + std::to_string(size) +
                                           " bytes, the most that a line may have; is this a table?");
  batch.last = true;
}

void Batches::fill(Batch& batch) {
  batch.ends.clear();
  batch.last = failure_.has_value();
  batch.failure = failure_;
  batch.open_end = false;
  std::size_t size = rest_.size();
  std::size_t target = std::max(sizes_.batch, size);
  if (batch.bytes.size() < target + 1 + kPadding) batch.bytes.resize(target + 1 + kPadding);
  std::ranges::copy(rest_, batch.bytes.begin());
  while (batch.ends.empty() && !batch.last) {
    if (size == target) target = std::max(2 * target, sizes_.batch);
    read(batch, size, target);
    // The last line of a file may lack its newline; that of a failure is not whole.
    if (batch.last && !batch.failure && size > 0 && batch.bytes[size - 1] != '\n') {
      batch.bytes[size++] = '\n';
      batch.open_end = true;
    }
    // What is open where reading was stopped is not wrong: its end was still to come.
    const bool stopped = batch.failure && batch.failure->code() == Code::cancelled;
    format_.cut(std::span(batch.bytes).first(size), sizes_.piece, batch.last && !stopped, batch.ends);
    if (batch.ends.empty() && !batch.last && size >= std::max(sizes_.limit, sizes_.batch)) give_up(batch, size);
  }
  const std::size_t used = batch.ends.empty() ? 0 : batch.ends.back();
  rest_.assign(batch.bytes.begin() + static_cast<std::ptrdiff_t>(used),
               batch.bytes.begin() + static_cast<std::ptrdiff_t>(size));
}

}  // namespace expose::io

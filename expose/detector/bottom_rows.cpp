#include "expose/detector/bottom_rows.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"

namespace expose {
namespace {

std::int64_t sum(std::uint64_t hash, std::int64_t there, std::int64_t more) {
  constexpr std::int64_t kMost = BottomRows<float>::kMostCopies;
  if (more <= kMost - there) return there + more;
  throw Error(Code::overflow, "row " + hex(hash) + " is there " + std::to_string(there) + " times and comes " +
                                  std::to_string(more) + " times more, at most " + std::to_string(kMost) +
                                  " can be counted");
}

std::int64_t difference(std::int64_t there, std::int64_t fewer) {
  if (fewer <= there) return there - fewer;
  throw Error(Code::not_found, there == 0 ? "a row that is to be forgotten was never learned"
                                          : "a row is to be forgotten more often than it was learned");
}

void put(Writer& writer, float value) { writer.f32(value); }
void put(Writer& writer, double value) { writer.f64(value); }
void take(Reader& reader, float& value) { value = reader.f32(); }
void take(Reader& reader, double& value) { value = reader.f64(); }

[[noreturn]] void throw_corrupt(std::size_t position, const std::string& what) {
  throw Error(Code::corrupt, "at byte " + std::to_string(position) + ": " + what);
}

}  // namespace

template <class T>
void BottomRows<T>::add_below_ceiling(std::uint64_t hash, std::span<const double> row, std::int64_t count) {
  if (count == 0) return;
  const auto at = entries_.lower_bound(hash);
  if (at != entries_.end() && at->first == hash) {
    at->second.count = sum(hash, at->second.count, count);
    return;
  }
  entries_.emplace_hint(at, hash, Entry{sum(hash, 0, count), std::vector<T>(row.begin(), row.end())});
  evict();
}

template <class T>
void BottomRows<T>::expect(std::vector<std::uint64_t> hashes) {
  if (hashes.size() <= capacity_) return;
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  if (hashes.size() > capacity_) lower_ceiling(hashes[capacity_]);
}

template <class T>
void BottomRows<T>::subtract(std::uint64_t hash, std::int64_t count) {
  if (hash >= ceiling_ || count == 0) return;
  const auto at = entries_.find(hash);
  const std::int64_t left = difference(at == entries_.end() ? 0 : at->second.count, count);
  at->second.count = left;
  if (left == 0) entries_.erase(at);
}

// What may be refused is asked for before the first change: after an Error nothing has changed. A few rows are merged
// into many without a look at all of them; a state may be merged with itself.
template <class T>
BottomRows<T>& BottomRows<T>::operator+=(const BottomRows& other) {
  require_same_shape(other);
  const std::uint64_t ceiling = std::min(ceiling_, other.ceiling_);
  const auto end = other.entries_.lower_bound(ceiling);
  for (auto more = other.entries_.begin(); more != end; ++more) {
    const auto at = entries_.find(more->first);
    if (at != entries_.end()) sum(more->first, at->second.count, more->second.count);
  }
  lower_ceiling(ceiling);
  for (auto more = other.entries_.begin(); more != end; ++more) {
    const auto [at, is_new] = entries_.try_emplace(more->first, more->second);
    if (!is_new) at->second.count += more->second.count;
  }
  evict();
  return *this;
}

// On a copy: after an Error nothing has changed.
template <class T>
BottomRows<T>& BottomRows<T>::operator-=(const BottomRows& other) {
  require_same_shape(other);
  BottomRows rest(*this);
  rest.lower_ceiling(other.ceiling_);
  for (const auto& [hash, entry] : other.entries_) rest.subtract(hash, entry.count);
  *this = std::move(rest);
  return *this;
}

template <class T>
void BottomRows<T>::require_same_shape(const BottomRows& other) const {
  if (columns_ == other.columns_ && capacity_ == other.capacity_) return;
  const auto shape = [](const BottomRows& rows) {
    return std::to_string(rows.capacity_) + " rows of " + std::to_string(rows.columns_) + " columns";
  };
  throw Error(Code::incompatible, "one sample is of " + shape(*this) + ", the other of " + shape(other));
}

template <class T>
void BottomRows<T>::lower_ceiling(std::uint64_t ceiling) {
  ceiling_ = std::min(ceiling_, ceiling);
  entries_.erase(entries_.lower_bound(ceiling_), entries_.end());
}

template <class T>
void BottomRows<T>::evict() {
  while (entries_.size() > capacity_) lower_ceiling(std::prev(entries_.end())->first);
}

// The ceiling, the number of rows, then of each row its hash, its count and its numbers.
template <class T>
void BottomRows<T>::write(Writer& writer) const {
  writer.u64(ceiling_);
  writer.u64(entries_.size());
  for (const auto& [hash, entry] : entries_) {
    writer.u64(hash);
    writer.i64(entry.count);
    for (const T value : entry.row) put(writer, value);
  }
}

template <class T>
BottomRows<T> BottomRows<T>::read(Reader& reader, std::size_t columns, std::size_t capacity) {
  Reader ahead(reader);
  BottomRows rows(columns, capacity);
  rows.ceiling_ = ahead.u64();
  const std::size_t n = ahead.count(sizeof(std::uint64_t) + sizeof(std::int64_t) + columns * sizeof(T));
  if (n > capacity) {
    throw_corrupt(reader.position(),
                  "a sample of at most " + std::to_string(capacity) + " rows claims " + std::to_string(n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t start = ahead.position();
    const std::uint64_t hash = ahead.u64();
    Entry entry{ahead.i64(), std::vector<T>(columns)};
    for (T& value : entry.row) take(ahead, value);
    if (i > 0 && hash <= std::prev(rows.end())->first) throw_corrupt(start, "row " + hex(hash) + " is out of order");
    if (hash >= rows.ceiling_) throw_corrupt(start, "row " + hex(hash) + " is not below " + hex(rows.ceiling_));
    if (entry.count < 1 || entry.count > kMostCopies) {
      throw_corrupt(start, "row " + hex(hash) + " is there " + std::to_string(entry.count) + " times");
    }
    rows.entries_.emplace_hint(rows.entries_.end(), hash, std::move(entry));
  }
  reader = ahead;
  return rows;
}

template class BottomRows<float>;
template class BottomRows<double>;

}  // namespace expose

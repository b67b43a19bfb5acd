#include "expose/base/sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace expose {

namespace {

constexpr std::size_t kFewest = 256;  // below this comparisons are as quick
constexpr std::size_t kBytes = sizeof(double);
using Counts = std::array<std::array<std::uint32_t, 256>, kBytes>;

// The bits of a double, so turned that they ascend as the numbers do: those below 0 descend with all bits.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}
double value_of(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

std::size_t digit(std::uint64_t key, std::size_t byte) { return key >> (8 * byte) & 255; }

// By each byte in turn, the lowest first, each time leaving equals in their order.
void sort_keys(std::vector<std::uint64_t>& keys, Counts& counts) {
  std::vector<std::uint64_t> sorted(keys.size());
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    std::array<std::uint32_t, 256>& places = counts[byte];
    if (places[digit(keys[0], byte)] == keys.size()) continue;  // all alike
    std::uint32_t place = 0;
    for (std::uint32_t& count : places) place += std::exchange(count, place);
    for (const std::uint64_t key : keys) sorted[places[digit(key, byte)]++] = key;
    keys.swap(sorted);
  }
}

}  // namespace

void sort_numbers(std::vector<double>& values) {
  if (std::ranges::is_sorted(values)) return;
  if (values.size() < kFewest || values.size() > UINT32_MAX) return std::sort(values.begin(), values.end());
  std::vector<std::uint64_t> keys(values.size());
  Counts counts{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = key_of(values[i]);
    for (std::size_t byte = 0; byte < kBytes; ++byte) ++counts[byte][digit(keys[i], byte)];
  }
  sort_keys(keys, counts);
  std::ranges::transform(keys, values.begin(), value_of);
}

}  // namespace expose

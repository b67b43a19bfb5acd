#include "expose/base/aligned.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace expose {
namespace {

template <class T>
bool on_a_line(const AlignedVector<T>& values) {
  return reinterpret_cast<std::uintptr_t>(values.data()) % 64 == 0;
}

// Many sizes: a plain allocator also hits a cache line now and then.
TEST(AlignedVector, StartsOnACacheLineForEverySize) {
  for (std::size_t n = 1; n < 200; ++n) {
    EXPECT_TRUE(on_a_line(AlignedVector<float>(n)));
    EXPECT_TRUE(on_a_line(AlignedVector<double>(n)));
    EXPECT_TRUE(on_a_line(AlignedVector<char>(n)));
  }
}

TEST(AlignedVector, StaysOnACacheLineWhileItGrows) {
  AlignedVector<float> values;
  for (int i = 0; i < 1000; ++i) {
    values.push_back(static_cast<float>(i));
    ASSERT_TRUE(on_a_line(values));
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(i));
}

TEST(AlignedVector, CopiesAndMovesAsAValue) {
  AlignedVector<float> a = {1, 2, 3};
  AlignedVector<float> b = a;
  EXPECT_EQ(a, b);
  const float* where = b.data();
  const AlignedVector<float> c = std::move(b);
  EXPECT_EQ(c.data(), where);
  EXPECT_EQ(a, c);
}

TEST(AlignedAllocator, RefusesMoreBytesThanCanBeCounted) {
  AlignedAllocator<double> allocator;
  EXPECT_THROW((void)allocator.allocate(std::numeric_limits<std::size_t>::max() / 4), std::bad_array_new_length);
}

}  // namespace
}  // namespace expose

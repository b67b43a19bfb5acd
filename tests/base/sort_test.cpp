#include "expose/base/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "expose/base/random.hpp"

namespace expose {
namespace {

TEST(SortNumbers, IsWhatComparisonsGive) {
  Random random(1, 0);
  for (const std::size_t n : {0, 1, 2, 255, 256, 257, 3000}) {
    for (const double width : {1e-300, 1.0, 1e300}) {
      std::vector<double> values(n);
      for (double& value : values) value = width * random.normal();
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      sort_numbers(values);
      EXPECT_EQ(values, sorted) << n << " numbers of width " << width;
    }
  }
}

TEST(SortNumbers, OfFewDifferentOnes) {
  constexpr double kMost = std::numeric_limits<double>::max(), kLeast = std::numeric_limits<double>::denorm_min();
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) values.insert(values.end(), {kMost, -kLeast, 1.0, 0.0, -1.0, kLeast, -kMost});
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  sort_numbers(values);
  EXPECT_EQ(values, sorted);
}

}  // namespace
}  // namespace expose

// dot(a, b, n): sum_j a_j b_j in double, in eight partial sums: a fixed order that compilers can make vector code of.
#pragma once

#include <cstddef>

namespace expose {

template <class A, class B>
double dot(const A* a, const B* b, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += static_cast<double>(a[j + lane]) * static_cast<double>(b[j + lane]);
    }
  }
  for (std::size_t lane = 0; j < n; ++j, ++lane) lanes[lane] += static_cast<double>(a[j]) * static_cast<double>(b[j]);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace expose

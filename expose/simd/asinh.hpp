// The inverse hyperbolic sine, number by number: near 0 the identity, far out a logarithm with the sign kept.
//
// Relative error at most 2e-7 for every finite float, subnormal and huge ones included; asinh(-x) = -asinh(x) exactly;
// never decreasing. The same bits on every target, wherever in the array a number stands. NaN stays NaN; infinity
// counts as 2^128.
#pragma once

#include <cstddef>

namespace expose::simd {

// values[i] <- asinh(values[i]) = log(values[i] + sqrt(values[i]^2 + 1))
void asinh_in_place(float* values, std::size_t count);

}  // namespace expose::simd

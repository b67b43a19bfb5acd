// Special functions that give the same bits on every machine: the tails of the normal and the gamma distribution, and
// of a distribution known by three moments. As math.hpp, by + - * / in a written order. Relative errors are below
// 1e-12 where the exponent is below 100, and grow with it. Pure functions; any number of threads may call them.
#pragma once

namespace expose::portable {

// log Gamma(x), by Stirling's series. NaN unless x > 0.
double log_gamma(double x);

// Q(a, x): the chance that a gamma variable of shape a > 0 and scale 1 is above x. 1 for x <= 0. NaN unless a > 0.
double gamma_tail(double a, double x);

// The chance that a standard normal variable is above z.
double normal_tail(double z);

// The chance that a variable with this mean, variance and third central moment is x or more, as if it were Pearson's
// type III, a shifted gamma: exact for sums of squares of equal size, close for sums of squares of any. A variable of
// variance 0 is at its mean.
double pearson_tail(double mean, double variance, double third, double x);

}  // namespace expose::portable

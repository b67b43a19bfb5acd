// Elementary functions that give the same bits on every machine, in double precision.
//
// Law 1 forbids the C library to decide a bit: its log, exp, sin differ between CPUs and versions. These use only
// + - * / in a written order, bit operations and functions that IEEE 754 makes exact. They need a compiler that neither
// fuses nor reorders (-ffp-contract=off, no -ffast-math). Errors are a few units in the last place.
// NaN gives NaN. Pure functions; any number of threads may call them.
#pragma once

#include <span>

namespace expose::portable {

// The natural logarithm. log(0) = -infinity, log of a negative number is NaN.
double log(double x);

// e^x: 0 far below -745, infinity above 709.79, gradually smaller between.
double exp(double x);

// The same for many numbers, each to the bit, in loops that compilers turn into vector code.
void log_all(std::span<double> values);  // REQUIRES: normal numbers above 0, not infinite
void exp_all(std::span<double> values);  // REQUIRES: numbers up to 0

// Angles are in turns, not radians: whole turns come off exactly, for any t. NaN for infinite t.
double cos_turns(double t);  // cos(2 pi t)
double sin_turns(double t);  // sin(2 pi t)
double tan_turns(double t);  // tan(2 pi t)

// The direction of the point (x, y): atan2(y, x) / (2 pi), in (-1/2, 1/2]; 0 for (0, 0). The sign of a zero says
// nothing: a point on the negative axis lies at 1/2.
double atan2_turns(double y, double x);

}  // namespace expose::portable

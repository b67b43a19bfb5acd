#include "expose/base/special.hpp"

#include <cmath>
#include <limits>

#include "expose/base/math.hpp"

namespace expose::portable {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kHalfLogTwoPi = 0.91893853320467274178;
// Terms are added until they are this small beside the sum, or until there were so many.
constexpr double kPrecision = 1e-17;
constexpr int kMostTerms = 1'000'000;
// A distribution this little skewed is a normal one: its gamma would have a shape of 4e8, whose terms are too many.
constexpr double kLeastSkewness = 1e-4;

// x^a e^-x / Gamma(a)
double prefactor(double a, double x) { return exp(a * log(x) - x - log_gamma(a)); }

// P(a, x) = prefactor sum_n x^n / (a (a + 1) .. (a + n)); for x below a + 1.
double series(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (int n = 1; n < kMostTerms && term > kPrecision * sum; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return prefactor(a, x) * sum;
}

// Q(a, x) = prefactor / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ..)), by Lentz's rule; for x from a + 1 on.
double continued_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1.0 - a;
  double c = 1.0 / kTiny;
  double d = 1.0 / b;
  double value = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2.0;
    d = numerator * d + b;
    d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    value *= d * c;
    if (std::abs(d * c - 1.0) < 1e-16) break;
  }
  return prefactor(a, x) * value;
}

}  // namespace

// log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + 1/(12 x) - 1/(360 x^3) + ..; small x are first raised to 10 and
// more, by Gamma(x) = Gamma(x + 1) / x, where the first term left out is below 1e-15.
double log_gamma(double x) {
  if (!(x > 0)) return kNaN;
  double product = 1.0;
  for (; x < 10.0; x += 1.0) product *= x;
  const double y = 1.0 / (x * x);
  const double rest =
      (1.0 / 12 +
       y * (-1.0 / 360 + y * (1.0 / 1260 + y * (-1.0 / 1680 + y * (1.0 / 1188 + y * (-691.0 / 360360 + y / 156)))))) /
      x;
  return (x - 0.5) * log(x) - x + kHalfLogTwoPi + rest - log(product);
}

double gamma_tail(double a, double x) {
  if (!(a > 0) || std::isnan(x)) return kNaN;
  if (x <= 0) return 1.0;
  if (std::isinf(x)) return 0.0;
  return x < a + 1.0 ? 1.0 - series(a, x) : continued_fraction(a, x);
}

// Q(1/2, z^2 / 2) is the chance of both tails.
double normal_tail(double z) {
  if (z < 0) return 1.0 - normal_tail(-z);
  return 0.5 * gamma_tail(0.5, 0.5 * z * z);
}

// With skewness g = third / variance^(3/2), (x - mean) / sd = (g/2) (G - 4/g^2), G a gamma of shape 4/g^2.
double pearson_tail(double mean, double variance, double third, double x) {
  if (!(variance > 0)) return x <= mean ? 1.0 : 0.0;
  const double sd = std::sqrt(variance);
  const double skewness = third / (variance * sd);
  const double z = (x - mean) / sd;
  if (std::abs(skewness) < kLeastSkewness) return normal_tail(z);
  const double shape = 4.0 / (skewness * skewness);
  const double at = shape + 2.0 * z / skewness;
  return skewness > 0 ? gamma_tail(shape, at) : 1.0 - gamma_tail(shape, at);
}

}  // namespace expose::portable

#include "expose/score/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"

namespace expose {
namespace {

void require_number(double n) {
  if (std::isfinite(n) && n >= 0.0) return;
  throw Error(Code::invalid_argument, "the number of rows is " + text(n) + "; it must be finite and >= 0");
}

}  // namespace

double embedding_error_probability(double n, double eps) {
  require_number(n);
  if (!std::isfinite(eps) || eps < 0.0) {
    throw Error(Code::invalid_argument, "eps is " + text(eps) + "; it must be finite and >= 0");
  }
  return std::min(1.0, 2.0 * std::exp(-n * eps * eps / 8.0));
}

double embedding_error_bound(double n, double probability) {
  require_number(n);
  if (!(probability > 0.0 && probability <= 1.0)) {
    throw Error(Code::invalid_argument, "the probability is " + text(probability) + "; it must be in (0, 1]");
  }
  if (n == 0.0) return std::numeric_limits<double>::infinity();
  return std::sqrt(8.0 * std::log(2.0 / probability) / n);
}

}  // namespace expose

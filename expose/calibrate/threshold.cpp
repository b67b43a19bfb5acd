#include "expose/calibrate/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"

namespace expose {
namespace {

void require_share(const char* name, double value) {
  if (value > 0.0 && value < 1.0) return;
  throw Error(Code::invalid_argument, std::string(name) + " is " + text(value) + ", it must be above 0 and below 1");
}

void require(const Alpha& t) { require_share("alpha", t.alpha); }
void require(const Fdr& t) { require_share("the false discovery rate", t.q); }
void require(const Contamination& t) { require_share("the contamination", t.share); }
void require(const Top& t) {
  if (t.count == 0) throw Error(Code::invalid_argument, "the number of top rows is 0, it must be at least 1");
}

struct Batch {
  std::span<const double> p;
  std::span<const double> similarities;
  std::vector<std::size_t> rows;  // the eligible ones, ascending
  std::vector<char> flags;
};

void flag_up_to(double p, Batch& batch) {
  for (const std::size_t i : batch.rows) batch.flags[i] = batch.p[i] <= p ? 1 : 0;
}

void flag_lowest(std::size_t count, Batch& batch) {
  std::vector<std::size_t>& rows = batch.rows;
  const auto key = [&](std::size_t i) { return std::tuple(batch.p[i], batch.similarities[i], i); };
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size()));
  std::nth_element(rows.begin(), end, rows.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::for_each(rows.begin(), end, [&](std::size_t i) { batch.flags[i] = 1; });
}

void apply(const Alpha& t, Batch& batch) { flag_up_to(t.alpha, batch); }

// Benjamini and Hochberg: with p_(1) <= ... <= p_(n), flag up to the largest p_(i) that is <= q i / n.
void apply(const Fdr& t, Batch& batch) {
  std::vector<double> p;
  for (const std::size_t i : batch.rows) p.push_back(batch.p[i]);
  std::sort(p.begin(), p.end());
  const auto n = static_cast<double>(p.size());
  for (std::size_t i = p.size(); i > 0; --i) {
    if (p[i - 1] * n <= t.q * static_cast<double>(i)) return flag_up_to(p[i - 1], batch);
  }
}

void apply(const Contamination& t, Batch& batch) {
  flag_lowest(static_cast<std::size_t>(std::floor(t.share * static_cast<double>(batch.rows.size()) + 0.5)), batch);
}

void apply(const Top& t, Batch& batch) { flag_lowest(t.count, batch); }

}  // namespace

void require_valid(const Threshold& threshold) {
  std::visit([](const auto& t) { require(t); }, threshold);
}

std::vector<char> flag(std::span<const double> p_values, std::span<const double> similarities,
                       std::span<const char> eligible, const Threshold& threshold) {
  require_valid(threshold);
  const std::size_t n = p_values.size();
  if (similarities.size() != n || eligible.size() != n) {
    throw Error(Code::shape_mismatch, "there are " + std::to_string(n) + " p-values, " +
                                          std::to_string(similarities.size()) + " similarities and " +
                                          std::to_string(eligible.size()) + " marks of eligible rows");
  }
  Batch batch{p_values, similarities, {}, std::vector<char>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    if (!eligible[i]) continue;
    if (!(p_values[i] >= 0.0 && p_values[i] <= 1.0) || std::isnan(similarities[i])) {
      throw Error(Code::invalid_argument, "row " + std::to_string(i + 1) + " has the p-value " + text(p_values[i]) +
                                              " and the similarity " + text(similarities[i]) +
                                              "; a p-value must be in [0, 1], a similarity a number");
    }
    batch.rows.push_back(i);
  }
  std::visit([&](const auto& t) { apply(t, batch); }, threshold);
  return batch.flags;
}

bool much_looks_anomalous(std::span<const double> p_values) {
  constexpr double kVeryUnlikely = 0.001;
  constexpr std::size_t kOneIn = 20;  // 5 %
  const auto unlikely = std::count_if(p_values.begin(), p_values.end(), [](double p) { return p <= kVeryUnlikely; });
  return static_cast<std::size_t>(unlikely) * kOneIn > p_values.size();
}

}  // namespace expose

#include "expose/calibrate/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace expose {

namespace {

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

// (1 / (m - 1)) sum (a_i - b_i - their mean)^2 / m: the variance of the mean of the differences.
double variance_of_mean(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences(a.size());
  std::ranges::transform(a, b, differences.begin(), std::minus<>());
  const double centre = mean(differences);
  double sum = 0;
  for (const double difference : differences) sum += (difference - centre) * (difference - centre);
  const auto m = static_cast<double>(a.size());
  return sum / (m - 1) / m;
}

// How many of the sorted values lie below x, those equal to it counting half.
double below(const std::vector<double>& values, double x) {
  const auto [first, last] = std::equal_range(values.begin(), values.end(), x);
  return static_cast<double>(first - values.begin()) + static_cast<double>(last - first) / 2;
}

}  // namespace

Placements placements(std::span<const double> anomalies, std::span<const double> normals) {
  const std::vector<double> low = sorted(anomalies), high = sorted(normals);
  const auto m = static_cast<double>(low.size()), n = static_cast<double>(high.size());
  Placements placed;
  for (const double eta : anomalies) placed.anomalies.push_back((n - below(high, eta)) / n);
  for (const double eta : normals) placed.normals.push_back(below(low, eta) / m);
  return placed;
}

double auc(std::span<const double> anomalies, std::span<const double> normals) {
  const std::vector<double> high = sorted(normals);
  double pairs = 0;  // halves of pairs: exact, so in any order the same
  for (const double eta : anomalies) pairs += static_cast<double>(high.size()) - below(high, eta);
  return pairs / (static_cast<double>(anomalies.size()) * static_cast<double>(normals.size()));
}

double average_precision(std::span<const double> anomalies, std::span<const double> normals) {
  const std::vector<double> low = sorted(anomalies), high = sorted(normals);
  double sum = 0;
  for (auto begin = low.begin(); begin != low.end();) {
    const auto end = std::upper_bound(begin, low.end(), *begin);
    const auto found = static_cast<double>(end - low.begin());
    const auto wrong = static_cast<double>(std::ranges::upper_bound(high, *begin) - high.begin());
    sum += static_cast<double>(end - begin) * (found / (found + wrong));
    begin = end;
  }
  return sum / static_cast<double>(low.size());
}

double balanced_accuracy(const FlagCounts& counts) {
  const auto share = [](std::size_t some, std::size_t others) {
    return static_cast<double>(some) / (static_cast<double>(some) + static_cast<double>(others));
  };
  return (share(counts.flagged_anomalies, counts.missed_anomalies) +
          share(counts.passed_normals, counts.flagged_normals)) /
         2;
}

Gain gain(const Placements& a, const Placements& b) {
  return {mean(a.anomalies) - mean(b.anomalies),
          std::sqrt(variance_of_mean(a.anomalies, b.anomalies) + variance_of_mean(a.normals, b.normals))};
}

}  // namespace expose

// Families of rows with 10 columns that the experiments on drift, groups and trust draw from: with seeds of their own,
// the same on every machine.
//   gaussian  normal, each column correlated by .6 with the one before
//   heavy     Student's t with 3 degrees of freedom, one length for all columns of a row
//   clusters  three normal clusters, 6 apart, of 60, 30 and 10 % of the rows
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "expose/base/random.hpp"
#include "expose/base/records.hpp"

namespace families {

inline constexpr std::size_t kColumns = 10;

struct Table {
  std::vector<double> values;
  expose::Records records() const { return expose::Records(std::span<const double>(values), kColumns); }
};

inline void draw_row(const std::string& family, expose::Random& random, double* x) {
  for (std::size_t k = 0; k < kColumns; ++k) x[k] = random.normal();
  if (family == "gaussian") {
    for (std::size_t k = 1; k < kColumns; ++k) x[k] = 0.6 * x[k - 1] + 0.8 * x[k];
  } else if (family == "heavy") {
    const double length = random.chi(3.0) / std::sqrt(3.0);
    for (std::size_t k = 0; k < kColumns; ++k) x[k] /= length;
  } else if (family == "clusters") {
    const double u = random.uniform();
    if (u < 0.3) x[0] += 6;
    if (u >= 0.3 && u < 0.4) x[1] += 6;
  } else {
    throw std::runtime_error("there is no family " + family);
  }
}

inline Table draw(const std::string& family, std::size_t rows, std::uint64_t seed) {
  expose::Random random(seed, 77);
  Table table{std::vector<double>(rows * kColumns)};
  for (std::size_t i = 0; i < rows; ++i) draw_row(family, random, table.values.data() + i * kColumns);
  return table;
}

// All columns have a standard deviation of 1 within their clusters, heavy ones sqrt(3).
inline void move(Table& table, std::size_t column, double by) {
  for (std::size_t i = column; i < table.values.size(); i += kColumns) table.values[i] += by;
}

}  // namespace families

// make demo: fit a mean map on a small real table and show the rows that are most unlike the rest.
//
// The table is Breast Cancer Wisconsin (examples/README.md): 9 measurements of a cell sample a row, and whether the
// sample was malignant, which the model never sees. Rare and different cells should have a low similarity.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <expose/expose.hpp>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct Table {
  std::vector<float> values;  // row after row
  std::vector<int> labels;    // the last column
  std::size_t d = 0;
};

// A csv file of plain numbers with a header and the label last.
Table read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  Table table;
  table.d = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
  while (std::getline(file, line)) {
    const char* at = line.data();
    const char* const end = at + line.size();
    for (std::size_t k = 0; k <= table.d; ++k) {
      float value = 0;
      at = std::from_chars(at, end, value).ptr + 1;
      if (k < table.d) {
        table.values.push_back(value);
      } else {
        table.labels.push_back(static_cast<int>(value));
      }
    }
  }
  return table;
}

// The share of pairs (normal, malignant) that the similarity puts in the right order.
double area_under_curve(const std::vector<double>& eta, const std::vector<int>& labels) {
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    for (std::size_t j = 0; j < eta.size(); ++j) {
      if (labels[i] != 0 || labels[j] != 1) continue;
      right += eta[i] > eta[j] ? 1.0 : eta[i] == eta[j] ? 0.5 : 0.0;
      pairs += 1;
    }
  }
  return right / pairs;
}

void show(const Table& table, const std::vector<double>& eta) {
  std::vector<std::size_t> order(eta.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return eta[i] < eta[j]; });
  std::printf("the ten rows most unlike the rest\n   row  similarity  malignant  values\n");
  for (std::size_t place = 0; place < 10; ++place) {
    const std::size_t i = order[place];
    std::printf("%6zu  %10.4f  %-9s ", i + 1, eta[i], table.labels[i] != 0 ? "yes" : "no");
    for (std::size_t k = 0; k < table.d; ++k) std::printf(" %g", static_cast<double>(table.values[i * table.d + k]));
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Table table = read(argc > 1 ? argv[1] : "examples/breastw.csv");
  const expose::Rows rows(table.values, table.d);

  const auto phi = expose::make_map({.kind = expose::MapKind::fourier,
                                     .d = table.d,
                                     .r = 2048,
                                     .kernel = expose::Gaussian{.bandwidth = 4.0},
                                     .seed = 1});
  expose::MeanMap model(phi);
  model.add(rows);
  const std::vector<double> eta = expose::Similarity(model).leave_one_out(rows);

  std::printf("%zu rows of %zu columns learned; each is judged by its similarity to the others\n\n", rows.n(),
              rows.d());
  show(table, eta);
  std::printf("\narea under the curve against the labels, which the model never saw: %.3f\n",
              area_under_curve(eta, table.labels));

  expose::MeanMap first(phi), second(phi);
  first.add(rows.slice(0, 300));
  second.add(rows.slice(300, rows.n()));
  std::printf("merging the models of two halves gives the same bits: %s\n", first + second == model ? "yes" : "NO");
  second.subtract(rows.slice(300, rows.n()));
  std::printf("forgetting what was learned leaves nothing: %s\n", second == expose::MeanMap(phi) ? "yes" : "NO");
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "demo: %s\n", problem.what());
  return 1;
}

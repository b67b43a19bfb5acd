// make demo: find the anomalies in a small real table, with a p-value and reasons each, and no parameter to choose.
//
// The table is Breast Cancer Wisconsin (examples/README.md): 9 measurements of a cell sample a row, and whether the
// sample was malignant, which the detector never sees. A third of the samples is, which is no anomaly: so every tenth
// of them is kept, as rare as in a screening. They should be found.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <expose/expose.hpp>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Table {
  std::vector<std::string> names;  // of the columns
  std::vector<float> values;       // row after row
  std::vector<int> labels;         // the last column
  std::size_t d = 0;
};

// A csv file of plain numbers with a header and the label last; of the malignant rows every tenth.
Table read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  Table table;
  std::istringstream header(line);
  for (std::string name; std::getline(header, name, ',');) table.names.push_back(name);
  table.d = table.names.size() - 1;
  int malignant = 0;
  while (std::getline(file, line)) {
    std::vector<float> row(table.d + 1);
    const char* at = line.data();
    for (float& value : row) at = std::from_chars(at, line.data() + line.size(), value).ptr + 1;
    const bool is_malignant = row.back() != 0;
    if (is_malignant && malignant++ % 10 != 0) continue;
    table.labels.push_back(is_malignant ? 1 : 0);
    table.values.insert(table.values.end(), row.begin(), row.end() - 1);
  }
  return table;
}

// The two columns that make row i unlike the rest: name=value (share).
std::string reasons(const Table& table, const std::vector<double>& shares, std::size_t i) {
  std::vector<std::size_t> order(table.d);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares[i * table.d + a] > shares[i * table.d + b]; });
  std::string text;
  for (const std::size_t k : {order[0], order[1]}) {
    const int value = static_cast<int>(table.values[i * table.d + k]);
    const int percent = static_cast<int>(100 * shares[i * table.d + k] + 0.5);
    text += (text.empty() ? "" : ", ") + table.names[k] + "=" + std::to_string(value) + " (" + std::to_string(percent) +
            " %)";
  }
  return text;
}

void show(const Table& table, const std::vector<expose::Verdict>& verdicts, const std::vector<double>& shares) {
  std::vector<std::size_t> order(verdicts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return verdicts[i].p_value < verdicts[j].p_value; });
  std::printf("the ten most anomalous rows\n   row  similarity   p-value  flagged  malignant  because of\n");
  for (std::size_t place = 0; place < 10; ++place) {
    const std::size_t i = order[place];
    std::printf("%6zu  %10.1e  %8.2g  %-7s  %-9s  %s\n", i + 1, verdicts[i].similarity, verdicts[i].p_value,
                verdicts[i].anomalous ? "yes" : "no", table.labels[i] != 0 ? "yes" : "no",
                reasons(table, shares, i).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Table table = read(argc > 1 ? argv[1] : "examples/breastw.csv");
  const expose::Rows rows(table.values, table.d);

  const expose::Detection found = expose::detect(rows);

  std::printf("%zu rows. The plan: %s\n\n", rows.n(), found.detector.plan().summary().c_str());
  show(table, found.verdicts, found.detector.explain(rows));
  const auto flagged = std::ranges::count_if(found.verdicts, [](const expose::Verdict& v) { return v.anomalous; });
  const auto malignant = std::ranges::count(table.labels, 1);
  std::ptrdiff_t both = 0;
  for (std::size_t i = 0; i < rows.n(); ++i) both += found.verdicts[i].anomalous && table.labels[i] == 1 ? 1 : 0;
  std::printf("\n%td of %zu rows are flagged (p <= 0.01), among them %td of the %td malignant ones\n", flagged,
              rows.n(), both, malignant);
  std::vector<double> normals, malignants;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    (table.labels[i] != 0 ? malignants : normals).push_back(found.verdicts[i].similarity);
  }
  std::printf("area under the curve against the labels, which the detector never saw: %.3f\n",
              expose::auc(malignants, normals));

  expose::Detector first(found.detector.plan()), second(found.detector.plan());
  first.learn(rows.slice(0, 300));
  second.learn(rows.slice(300, rows.n()));
  std::printf("merging the models of two halves gives the same bits: %s\n",
              first + second == found.detector ? "yes" : "NO");
  second.forget(rows.slice(300, rows.n()));
  std::printf("forgetting what was learned leaves nothing: %s\n",
              second == expose::Detector(found.detector.plan()) ? "yes" : "NO");
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "demo: %s\n", problem.what());
  return 1;
}

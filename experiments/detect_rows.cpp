// detect_rows: what the experiments call until there is a Python package.
//
// usage: detect_rows FIT.npy OUT.npy [--judge ROWS.npy] [--labels LABELS.npy] [--reasons OUT.npy] [--OPTION VALUE]..
// Fits FIT.npy (float64, C order) and writes similarity and p_value of each row (n x 2, float64) to OUT.npy: of the
// fitted rows themselves, each left out of its own judgement, or of ROWS.npy. Prints the plan as one line of JSON.
// LABELS.npy (n x 1: 1 anomaly, 0 normal, -1 unlabelled) tunes first what the options leave open. With --reasons the
// share of each column in the unlikeness of each judged row (n x d, float64) is written too.
// Options: kernel bandwidth map r scale trim missing seed threads preset, as in Options. NaN is a missing value.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <expose/expose.hpp>

namespace {

struct Matrix {
  std::vector<double> values;
  std::size_t n = 0, d = 0;
  expose::Records rows() const { return {values.data(), n, d}; }
};

// The number behind `key` in the header of a npy file, from `at` on.
std::size_t number_in(const std::string& header, std::size_t at) { return std::stoul(header.substr(at)); }

Matrix read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[10];
  if (!file.read(start, sizeof start) || std::memcmp(start, "\x93NUMPY\x01", 7) != 0) {
    throw std::runtime_error(path + " is not a npy file of version 1");
  }
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(start[8])) +
                      256 * static_cast<std::size_t>(static_cast<unsigned char>(start[9]));
  std::string header(length, ' ');
  file.read(header.data(), static_cast<std::streamsize>(length));
  if (header.find("'<f8'") == std::string::npos || header.find("'fortran_order': False") == std::string::npos) {
    throw std::runtime_error(path + " must hold float64 in C order");
  }
  const std::size_t shape = header.find('(', header.find("'shape'"));
  Matrix matrix;
  matrix.n = number_in(header, shape + 1);
  matrix.d = number_in(header, header.find(',', shape) + 1);
  matrix.values.resize(matrix.n * matrix.d);
  file.read(reinterpret_cast<char*>(matrix.values.data()), static_cast<std::streamsize>(matrix.values.size() * 8));
  if (!file) throw std::runtime_error(path + " is shorter than its header says");
  return matrix;
}

std::vector<expose::Label> labels_of(const Matrix& matrix) {
  std::vector<expose::Label> labels;
  for (const double value : matrix.values) {
    labels.push_back(value < 0    ? expose::Label::unlabelled
                     : value == 0 ? expose::Label::normal
                                  : expose::Label::anomaly);
  }
  return labels;
}

void write_npy(const std::string& path, const std::vector<double>& values, std::size_t columns) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.size() / columns) +
                       ", " + std::to_string(columns) + "), }";
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  const std::string start("\x93NUMPY\x01\x00", 8);
  std::ofstream file(path, std::ios::binary);
  file << start << static_cast<char>(header.size() % 256) << static_cast<char>(header.size() / 256) << header;
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * 8));
}

std::vector<double> numbers_of(const std::vector<expose::Verdict>& verdicts) {
  std::vector<double> numbers;
  for (const expose::Verdict& verdict : verdicts) {
    numbers.push_back(verdict.similarity);
    numbers.push_back(verdict.p_value);
  }
  return numbers;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void set(expose::Options& options, const std::string& key, const std::string& value) {
  if (key == "--kernel") {
    options.kernel = expose::kernel_named(value, 0);
  } else if (key == "--bandwidth") {
    options.bandwidth = std::stod(value);
  } else if (key == "--map") {
    options.map = expose::map_named(value);
  } else if (key == "--r") {
    options.r = std::stoul(value);
  } else if (key == "--scale") {
    options.scale = expose::scale_named(value);
  } else if (key == "--trim") {
    options.trim = std::stod(value);
  } else if (key == "--missing") {
    options.missing = expose::missing_named(value);
  } else if (key == "--seed") {
    options.seed = std::stoul(value);
  } else if (key == "--threads") {
    options.threads = std::stoul(value);
  } else if (key == "--preset") {
    options.preset = expose::preset_named(value);
  } else {
    throw std::runtime_error("there is no option " + key);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    throw std::runtime_error(
        "usage: detect_rows FIT.npy OUT.npy [--judge ROWS.npy] [--labels LABELS.npy] "
        "[--reasons OUT.npy] [--OPTION VALUE]..");
  }
  expose::Options options;
  std::string judge, labels, reasons;
  bool fixed_kernel = false;
  for (int i = 3; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--judge") {
      judge = argv[i + 1];
    } else if (std::string(argv[i]) == "--labels") {
      labels = argv[i + 1];
    } else if (std::string(argv[i]) == "--reasons") {
      reasons = argv[i + 1];
    } else {
      set(options, argv[i], argv[i + 1]);
      fixed_kernel = fixed_kernel || std::string(argv[i]) == "--kernel";
    }
  }
  const Matrix table = read_npy(argv[1]);
  const auto start = std::chrono::steady_clock::now();
  if (!labels.empty()) options = expose::tune(table.rows(), labels_of(read_npy(labels)), options, fixed_kernel).options;
  const expose::Detection detection = judge.empty() ? expose::detect(table.rows(), options)
                                                    : expose::Detection{expose::fit(table.rows(), options), {}, false};
  const double seconds = seconds_since(start);
  const Matrix others = judge.empty() ? Matrix{} : read_npy(judge);
  const expose::Records judged = judge.empty() ? table.rows() : others.rows();
  write_npy(argv[2], numbers_of(judge.empty() ? detection.verdicts : detection.detector.judge(judged)), 2);
  const auto asked = std::chrono::steady_clock::now();
  if (!reasons.empty()) write_npy(reasons, detection.detector.explain(judged), judged.d());
  const double explaining = seconds_since(asked);
  const expose::Plan& plan = detection.detector.plan();
  std::printf("{\"bandwidth\": %.17g, \"kernel\": \"%s\", \"scale\": \"%s\", \"d\": %zu, \"r\": %zu, ",
              expose::bandwidth(plan.kernel()), name(plan.kernel()).c_str(), name(plan.scaler().kind()).c_str(),
              plan.d(), plan.map()->r());
  std::printf("\"seconds\": %.6f, \"explaining\": %.6f, \"much_looks_anomalous\": %s}\n", seconds, explaining,
              detection.much_looks_anomalous ? "true" : "false");
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "detect_rows: %s\n", problem.what());
  return 1;
}

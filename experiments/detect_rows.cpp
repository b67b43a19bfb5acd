// detect_rows: what the experiments call until there is a Python package.
//
// usage: detect_rows FIT.npy OUT.npy [--judge ROWS.npy] [--OPTION VALUE]..
// Fits FIT.npy (float64, C order) and writes similarity and p_value of each row (n x 2, float64) to OUT.npy: of the
// fitted rows themselves, each left out of its own judgement, or of ROWS.npy. Prints the plan as one line of JSON.
// Options: kernel bandwidth map r scale trim seed threads preset, as in Options.
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

void write_npy(const std::string& path, const std::vector<expose::Verdict>& verdicts) {
  std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(verdicts.size()) + ", 2), }";
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  const char start[] = {'\x93',
                        'N',
                        'U',
                        'M',
                        'P',
                        'Y',
                        '\x01',
                        '\x00',
                        static_cast<char>(header.size() % 256),
                        static_cast<char>(header.size() / 256)};
  file.write(start, sizeof start);
  file << header;
  for (const expose::Verdict& verdict : verdicts) {
    const double pair[] = {verdict.similarity, verdict.p_value};
    file.write(reinterpret_cast<const char*>(pair), sizeof pair);
  }
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
  if (argc < 3) throw std::runtime_error("usage: detect_rows FIT.npy OUT.npy [--judge ROWS.npy] [--OPTION VALUE]..");
  expose::Options options;
  std::string judge;
  for (int i = 3; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--judge") {
      judge = argv[i + 1];
    } else {
      set(options, argv[i], argv[i + 1]);
    }
  }
  const Matrix table = read_npy(argv[1]);
  const auto start = std::chrono::steady_clock::now();
  const expose::Detection detection = judge.empty() ? expose::detect(table.rows(), options)
                                                    : expose::Detection{expose::fit(table.rows(), options), {}, false};
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_npy(argv[2], judge.empty() ? detection.verdicts : detection.detector.judge(read_npy(judge).rows()));
  const expose::Plan& plan = detection.detector.plan();
  std::printf("{\"bandwidth\": %.17g, \"d\": %zu, \"r\": %zu, \"seconds\": %.6f, \"much_looks_anomalous\": %s}\n",
              expose::bandwidth(plan.kernel()), plan.d(), plan.map()->r(), seconds,
              detection.much_looks_anomalous ? "true" : "false");
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "detect_rows: %s\n", problem.what());
  return 1;
}

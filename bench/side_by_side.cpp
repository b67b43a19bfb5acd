// side_by_side: our side of bench/side_by_side.py, which starts it once and talks to it in lines.
//
// A command is a line of words on stdin, its answer one line of JSON on stdout; {"error": ".."} where it cannot be
// done. What is timed is the call of the library alone, from memory to memory: wall and processor nanoseconds.
// Files hold raw numbers, row after row: rows float32, tables float64.
//   map KIND D R BANDWIDTH [LANDMARKS]   the map that all below use, and an empty mean
//   rows FILE [N]                        the rows to work on, or the first N of them
//   learn THREADS [OUT]                  adds all rows to an empty mean; OUT: the sums, float64
//   judge THREADS [OUT]                  their similarity to the mean of all rows; OUT: float64
//   stream                               one row at a time: similarity to the rows before it, then learn it
//   tenants M                            each row against M models
//   frequencies OUT / weights OUT        w_j of a random map / alpha of Nystrom, float64: so that peers compute the
//   same fit FILE D THREADS                   the default detector learns a table of float64 detect FILE D THREADS
//   [OUT]          the same, and judges it; OUT: the similarities judge_after N ROWS                   a model that has
//   learned N generated rows of 10 columns judges ROWS others
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "expose/base/pool.hpp"
#include "expose/base/random.hpp"
#include "expose/detector/detector.hpp"
#include "expose/score/many.hpp"
#include "expose/score/similarity.hpp"
#include "expose/simd/target.hpp"

namespace {

using expose::Rows;
using Words = std::vector<std::string>;

template <class T>
std::vector<T> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<T> values(file ? static_cast<std::size_t>(file.tellg()) / sizeof(T) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file) throw std::runtime_error("cannot read " + path);
  return values;
}

void write(const std::string& path, const std::vector<double>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file) throw std::runtime_error("cannot write " + path);
}

template <class T>
T number(const std::string& word) {
  T value{};
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size()) throw std::runtime_error(word + " is no number");
  return value;
}

struct Time {
  double wall = 0.0, cpu = 0.0;  // nanoseconds; cpu: of all threads
};

template <class Work>
Time time_of(const Work& work) {
  const auto cpu_now = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  };
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_now();
  work();
  const double cpu = cpu_now() - cpu_start;
  return {std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count(), cpu};
}

class Bench {
 public:
  std::string answer(const Words& words) {
    const std::string& verb = words.at(0);
    if (verb == "map") return map(words);
    if (verb == "rows") return rows(words);
    if (verb == "learn") return learn(words);
    if (verb == "judge") return judge(words);
    if (verb == "stream") return stream();
    if (verb == "tenants") return tenants(number<std::size_t>(words.at(1)));
    if (verb == "frequencies") return frequencies(words.at(1));
    if (verb == "weights") return weights(words.at(1));
    if (verb == "fit") return fit(words);
    if (verb == "detect") return detect(words);
    if (verb == "judge_after") return judge_after(number<std::size_t>(words.at(1)), number<std::size_t>(words.at(2)));
    throw std::runtime_error("there is no command " + verb);
  }

 private:
  static std::string timed(const Time& time, std::size_t rows, double check) {
    std::ostringstream out;
    out.precision(17);
    out << "{\"wall_ns\": " << time.wall << ", \"cpu_ns\": " << time.cpu << ", \"rows\": " << rows
        << ", \"check\": " << check << "}";
    return out.str();
  }

  Rows all() const {
    if (!map_) throw std::runtime_error("there is no map yet");
    return {values_, map_->d()};
  }

  std::string map(const Words& words) {
    expose::Recipe recipe{.kind = expose::map_named(words.at(1)),
                          .d = number<std::size_t>(words.at(2)),
                          .r = number<std::size_t>(words.at(3)),
                          .kernel = expose::Gaussian{number<double>(words.at(4))},
                          .seed = 1};
    if (words.size() > 5) recipe.landmarks = read<float>(words[5]);
    map_ = expose::make_map(std::move(recipe));
    similarity_.reset();
    return "{\"target\": \"" + expose::simd::target() + "\"}";
  }

  std::string rows(const Words& words) {
    values_ = read<float>(words.at(1));
    if (words.size() > 2) values_.resize(std::min(values_.size(), number<std::size_t>(words[2]) * all().d()));
    similarity_.reset();
    return "{\"rows\": " + std::to_string(all().n()) + "}";
  }

  expose::Pool* pool(std::size_t threads) {
    if (threads <= 1) return nullptr;
    if (!pool_ || pool_->threads() != threads) pool_.emplace(threads);
    return &*pool_;
  }

  std::string learn(const Words& words) {
    expose::MeanMap mean(map_);
    expose::Pool* const workers = pool(number<std::size_t>(words.at(1)));
    const Time time = time_of([&] { mean.add(all(), workers); });
    if (words.size() > 2) write(words[2], mean.sum());
    return timed(time, all().n(), mean.sum().at(0));
  }

  std::string judge(const Words& words) {
    if (!similarity_) {
      expose::MeanMap mean(map_);
      mean.add(all());
      similarity_.emplace(mean);
    }
    expose::Pool* const workers = pool(number<std::size_t>(words.at(1)));
    std::vector<double> eta;
    const Time time = time_of([&] { eta = similarity_->of(all(), workers); });
    if (words.size() > 2) write(words[2], eta);
    return timed(time, all().n(), eta.at(0));
  }

  // eta(x_t) = <phi(x_t), w_{t-1}>, w = sum / (t - 1) under the metric of random maps, 1/r; then sum += phi(x_t).
  std::string stream() {
    expose::MeanMap mean(map_);
    double total = 0.0;
    const Time time = time_of([&] {
      for (std::size_t i = 0; i < all().n(); ++i) total += mean.watch(all()[i]);
    });
    return timed(time, all().n(), total);
  }

  // Model m is the mean of row m alone: what a model holds does not change what it costs.
  std::string tenants(std::size_t models) {
    expose::ManyModels many(map_);
    for (std::size_t m = 0; m < models; ++m) {
      expose::MeanMap mean(map_);
      mean.add(all().slice(m % all().n(), m % all().n() + 1));
      many.add(mean);
    }
    double total = 0.0;
    const Time time = time_of([&] {
      for (std::size_t i = 0; i < all().n(); ++i) total += many.similarity(all()[i])[0];
    });
    return timed(time, all().n(), total);
  }

  // The phase of c e_k is c w_jk: the features of d such rows tell all frequencies. With c half a bandwidth and more it
  // stays within half a turn.
  std::string frequencies(const std::string& path) const {
    const std::size_t d = map_->d(), r = map_->r();
    const double c = expose::bandwidth(map_->kernel()) / 2;
    std::vector<double> found(r * d);
    std::vector<float> row(d), phi(2 * r);
    for (std::size_t k = 0; k < d; ++k) {
      row.assign(d, 0.0F);
      row[k] = static_cast<float>(c);
      map_->project(Rows(row, d), phi);
      for (std::size_t j = 0; j < r; ++j) {
        found[j * d + k] =
            std::atan2(static_cast<double>(phi[r + j]), static_cast<double>(phi[j])) / static_cast<double>(row[k]);
      }
    }
    write(path, found);
    return "{\"frequencies\": " + std::to_string(r) + "}";
  }

  std::string weights(const std::string& path) const {
    expose::MeanMap mean(map_);
    mean.add(all());
    write(path, map_->dual(mean.mean()));
    return "{\"weights\": " + std::to_string(map_->size()) + "}";
  }

  static std::string fit(const Words& words) {
    const std::vector<double> table = read<double>(words.at(1));
    const expose::Records records(table, number<std::size_t>(words.at(2)));
    double weight = 0.0;
    const expose::Options options{.threads = number<std::size_t>(words.at(3))};
    const Time time = time_of([&] { weight = expose::fit(records, options).weight(); });
    return timed(time, records.n(), weight);
  }

  static std::string detect(const Words& words) {
    const std::vector<double> table = read<double>(words.at(1));
    const expose::Records records(table, number<std::size_t>(words.at(2)));
    std::optional<expose::Detection> detection;
    const expose::Options options{.threads = number<std::size_t>(words.at(3))};
    const Time time = time_of([&] { detection.emplace(expose::detect(records, options)); });
    std::vector<double> similarities;
    for (const expose::Verdict& verdict : detection->verdicts) similarities.push_back(verdict.similarity);
    if (words.size() > 4) write(words[4], similarities);
    return timed(time, records.n(), similarities.at(0));
  }

  static std::string judge_after(std::size_t learned, std::size_t judged) {
    constexpr std::size_t kColumns = 10, kBlock = 65536;
    expose::Random random(1, 0);
    std::vector<double> values(kBlock * kColumns);
    for (double& value : values) value = random.normal();
    const expose::Records block(values, kColumns);
    expose::Detector detector(expose::plan(block, {.threads = 1}), 1);
    for (std::size_t done = 0; done < learned; done += kBlock) {
      detector.learn(block.slice(0, std::min(kBlock, learned - done)));
    }
    const expose::Records others = block.slice(0, std::min(kBlock, judged));
    detector.judge(others);  // what is made when first asked for
    double check = 0.0;
    const Time time = time_of([&] { check = detector.judge(others)[0].similarity; });
    return timed(time, others.n(), check);
  }

  expose::SharedMap map_;
  std::vector<float> values_;
  std::optional<expose::Similarity> similarity_;
  std::optional<expose::Pool> pool_;
};

}  // namespace

int main() {
  Bench bench;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream stream(line);
    const Words words{std::istream_iterator<std::string>(stream), {}};
    if (words.empty()) continue;
    std::string answer;
    try {
      answer = bench.answer(words);
    } catch (const std::exception& problem) {
      answer = std::string("{\"error\": \"") + problem.what() + "\"}";
    }
    std::printf("%s\n", answer.c_str());
    std::fflush(stdout);
  }
  return 0;
}

// Watcher: the detector for streams. Each row is judged by the rows before it, then learned.
//
// Similarities are relative, eta(x) / |w|^2 (paper, "Predictions on Data Streams"): a row keeps its value while the
// model grows or forgets. p-values are ranks among the rows that the memory of the plan holds (docs/streams.md says
// what they promise). Equal rows in equal order give equal bits: one by one, in blocks, and across save and load.
// A row costs one projection (Window: two) and O(r) beside it (Nystrom: O(r^2)), however long the stream; memory is
// O(r) (Window: plus its rows). A value. Threads may judge with one together; whoever changes it must be alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "expose/calibrate/recent.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/plan.hpp"
#include "expose/detector/verdict.hpp"
#include "expose/mean/fading_mean.hpp"
#include "expose/mean/mean_map.hpp"
#include "expose/mean/window_mean.hpp"

namespace expose {

class Reader;
class Writer;

class EXPOSE_API Watcher {
 public:
  // Good rows that the plan is made from where none was given.
  static constexpr std::size_t kPlanRows = 256;

  // Empty, with this plan. Throws Code::invalid_argument for alpha outside (0, 1), and for a plan with a gate whose
  // memory forgets: a frozen gate would keep out what the stream drifts to.
  explicit Watcher(Plan plan, double alpha = Alpha{}.alpha);
  // Empty. Makes its plan from its first kPlanRows good rows and is then as if it had had that plan when they came.
  // Throws Code::invalid_argument for what no plan can be made of, and for fdr, contamination and top.
  explicit Watcher(Options options = {});

  // Judge, then learn. The status is `learning` until there is a plan (the similarity is then 0) and kFewestRows rows
  // are remembered: with a shorter window for ever. Rows with infinity (and NaN, where the plan cannot integrate it
  // out) are rejected: counted, never learned; rows without any value are unknown. A
  // row that the gate keeps out is not learned, but calibrates as every other.
  // Throws Code::shape_mismatch, and watches nothing, for rows of another width.
  Verdict watch(std::span<const double> row);
  Verdict watch(std::span<const float> row);
  // The same verdicts, and the same watcher afterwards, as row by row.
  std::vector<Verdict> watch(Records rows);

  // Look only: what watch would say to the row now. If that row is watched next, it costs no second projection: for
  // those whose interface judges and learns in two steps.
  Verdict peek(std::span<const double> row);

  // Look only: what watch would say to each of them now.
  std::vector<Verdict> judge(Records rows) const;

  // The share that each column has in a row's unlikeness to the model of now, as Detector::explain gives it; all 0
  // while there is no plan. A row that was watched is a part of the model: ask before.
  std::vector<double> explain(Records rows, std::span<const std::uint32_t> groups = {}) const;

  // Takes rows out again, exactly. Window: for each the oldest that equals it leaves, and so does its place in the
  // calibration. Everything: out of the model; the calibration stays, since only its counts are known. Throws, and
  // forgets nothing, if they provably were never learned (everything: not every such row is caught), and always for
  // Fading, which does not know how much of a row is left.
  Learned forget(Records rows);

  bool planned() const { return stream_.has_value(); }
  // Throws Code::not_found while there is none.
  const Plan& plan() const;
  // What the plan will be made with. REQUIRES: !planned()
  const Options& options() const { return options_; }
  // The table that its rows come from, if one was given; also while there is no plan.
  const std::optional<Columns>& table() const { return stream_ ? stream_->plan.table() : options_.table; }
  // Good rows watched so far, the forgotten ones and those before the plan included; bad ones; those without a value in
  // any column that counts; all that were ever given.
  std::uint64_t rows() const { return rows_; }
  std::uint64_t rejected() const { return rejected_; }
  std::uint64_t unknown() const { return unknown_; }
  std::uint64_t seen() const { return rows_ + rejected_ + unknown_; }
  // These four count from here on: for one that goes on with another stream. What it remembers stays.
  void count_anew() { rows_ = rejected_ = unknown_ = 0; }
  // How many rows it remembers: all that were not forgotten; those in the window; for Fading the effective number.
  double weight() const;

  // Flags a row when p_value <= alpha.
  double alpha() const { return alpha_; }
  void set_alpha(double alpha);

  // Equal plans, equal numbers: from here on equal answers.
  friend EXPOSE_API bool operator==(const Watcher& a, const Watcher& b);

  friend EXPOSE_API std::vector<std::byte> to_bytes(const Watcher& watcher);
  friend EXPOSE_API Watcher watcher_from_bytes(std::span<const std::byte> bytes);

 private:
  // What there is from the plan on.
  struct Stream {
    explicit Stream(Plan its_plan);

    Plan plan;
    std::variant<MeanMap, WindowMean, FadingMean> model;
    StreamCalibration calibration;
    std::deque<double> similarities = {};  // Window: of its rows, oldest first: how they calibrate
    std::int64_t turned_away = 0;          // rows that the gate kept out
  };
  // Room for a row, and for Nystrom the model as rows see it.
  struct Sight {
    std::vector<double> alpha;
    double volume = 0.0;  // |w|^2
    std::vector<float> scaled;
    std::vector<float> features;
  };

  void require_width(const Records& rows) const;
  Verdict watch_row(const Records& row);
  std::optional<Verdict> foreseen(const Records& row);
  void wait(const Records& row);
  const MeanMap* exact_mean() const;  // null for Fading
  void look(Sight& sight) const;
  double relative_similarity(const Sight& sight) const;
  Verdict judge_row(const Records& row, Sight& sight) const;
  void learn(double similarity);
  std::uint64_t remembered() const;
  Missing missing() const { return stream_ ? stream_->plan.missing() : options_.missing; }
  void forget_waiting(const Records& rows, const std::vector<std::size_t>& good);
  void forget_in_window(Rows scaled);
  void forget_in_mean(Rows scaled, Learned& forgotten);
  std::uint32_t file_version() const;
  void write(Writer& writer, std::uint32_t version) const;
  static Watcher read(Reader& reader, std::uint32_t version);
  static Watcher read_waiting(Reader& reader, std::uint32_t version);
  void read_stream(Reader& reader);

  double alpha_;
  std::size_t columns_ = 0;  // 0: no row has come yet, and there is no table
  std::uint64_t rows_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t unknown_ = 0;
  Options options_;                 // until there is a plan,
  std::vector<double> first_rows_;  // and the rows to make it from
  std::optional<Stream> stream_;
  Sight sight_;                      // no state: kept so that a row costs no allocation
  std::vector<double> peeked_;       // the row in sight_, if there is
  std::optional<Verdict> foreseen_;  // what was said to it; gone as soon as anything changes
};

// The whole state, at any time, also before there is a plan: what comes back goes on with the same bits.
// Restored and saved again, the bytes are the same; docs/model-format.md describes them. Throws as to_bytes of a
// Detector does.
EXPOSE_API std::vector<std::byte> to_bytes(const Watcher& watcher);
// Throws Code::corrupt for bytes that are no watcher or were damaged; Code::incompatible for a newer format version and
// for the file of a Detector.
EXPOSE_API Watcher watcher_from_bytes(std::span<const std::byte> bytes);

// Atomic and durable: the path has the old file or the new one, whatever happens in between. Throw Code::io if it
// cannot be written or read, else as above.
EXPOSE_API void save(const Watcher& watcher, const std::string& path);
EXPOSE_API Watcher load_watcher(const std::string& path);

}  // namespace expose

// Detector: a plan and the mean of the rows that passed its gate. Learns, judges, forgets, merges.
//
// learn(a + b), merge(learn(a), learn(b)) and forget(learn(a + b + c), c) have equal sums, weights and similarities,
// to the bit, for any order of rows, any blocks and any number of threads. A row's similarity and p-value do not depend
// on the batch it comes in; whether it is flagged does, under fdr, contamination and top.
// Bad rows (NaN or infinity) are counted and never learned. Memory: everything; streams that forget have a Watcher.
// A value. Threads may judge with one together; whoever changes it must be alone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "expose/base/pool.hpp"
#include "expose/calibrate/conformal.hpp"
#include "expose/detector/bottom_rows.hpp"
#include "expose/detector/plan.hpp"
#include "expose/detector/source.hpp"
#include "expose/detector/verdict.hpp"
#include "expose/score/similarity.hpp"

namespace expose {

// What became of the rows given to learn or forget.
struct Learned {
  std::size_t learned = 0;             // passed the gate and changed the model
  std::size_t turned_away = 0;         // good rows that the gate kept out; a row of weight 0 is neither
  std::vector<std::size_t> rejected;   // bad rows, by their index (0-based)
  std::vector<std::size_t> landmarks;  // forget only: rows that live on in the plan, as landmarks, likewise
};

class EXPOSE_API Detector {
 public:
  // Rows of the calibration sample, and how many rows must be there before a p-value is named.
  static constexpr std::size_t kCalibrationRows = 2000;

  // Empty, with this plan. Throws Code::invalid_argument for a plan whose memory is not everything.
  explicit Detector(Plan plan, std::size_t threads = 0);

  const Plan& plan() const { return plan_; }
  std::uint64_t fingerprint() const { return plan_.fingerprint(); }
  // The algebra for people who want it.
  const MeanMap& mean() const { return state_.mean; }
  // Rows seen, by weight: those in the mean and those that the gate kept out.
  double weight() const { return state_.mean.weight() + turned_away(); }
  double turned_away() const;

  // Weights: one a row, >= 0, whole or rounded to 1/1024. Throws, and learns nothing, on a wrong width or bad weights.
  Learned learn(Records rows, std::span<const double> weights = {});
  // Takes rows out again, exactly; out of the model, not out of the plan. Throws, and forgets nothing, if they provably
  // were never learned (more weight than there is, sums that no rows have); not every such row is caught.
  Learned forget(Records rows, std::span<const double> weights = {});
  // Adds a model of the same plan. Throws Code::incompatible, naming both fingerprints, for another.
  void merge(const Detector& other);
  friend Detector operator+(Detector a, const Detector& b) {
    a.merge(b);
    return a;
  }

  // New rows, by conformal p-values. Never learns.
  std::vector<Verdict> judge(Records rows) const;
  // The rows it was fitted on, each left out of its own judgement; p-values from a tail fitted to their bulk.
  std::vector<Verdict> judge_fitted(Records rows, std::span<const double> weights = {}) const;

  // How rows are flagged; changing it needs no refit.
  const Threshold& threshold() const { return threshold_; }
  void set_threshold(const Threshold& threshold);

  friend EXPOSE_API bool operator==(const Detector& a, const Detector& b);

  // The numbers a detector consists of, beside its plan and threshold; what a model file stores.
  struct State {
    MeanMap mean;                   // of the rows that passed the gate
    std::int64_t turned_away = 0;   // weight of those that did not, in units of 1/1024
    BottomRows<float> calibration;  // scaled rows with the smallest hashes, counts in units of 1/1024
    BottomRows<float> frequent;     // the plan's frequent rows, likewise
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  // Throws Code::corrupt for numbers that do not fit together.
  static Detector from_state(Plan plan, State state, const Threshold& threshold, std::size_t threads = 0);

 private:
  struct Ready;  // what judging needs, made from the state when first asked for
  struct Lazy;

  State empty_state() const;
  void require_width(const Records& rows) const;
  State gather(Records rows, std::span<const std::int64_t> units, Learned& learned) const;
  void gather_block(Records rows, std::span<const std::int64_t> units, std::size_t first, State& state,
                    Learned& learned) const;
  std::vector<char> learn_rows(Rows scaled, MeanMap& mean) const;
  void add(const State& more);
  void replace(State state);
  std::shared_ptr<const Ready> ready() const;
  Conformal calibrate(const Similarity& similarity) const;
  std::vector<Verdict> look(Records rows, const Similarity& similarity, Status status, bool fitted,
                            std::span<const std::int64_t> units) const;

  Plan plan_;
  Threshold threshold_ = Alpha{};
  std::shared_ptr<Pool> pool_;
  State state_;
  std::shared_ptr<Lazy> lazy_;  // copies of a detector share it until one of them changes
};

// Plan, learn, calibrate.
EXPOSE_API Detector fit(Records rows, const Options& options = {}, std::span<const double> weights = {},
                        const Progress& progress = {});
EXPOSE_API Detector fit(Source& source, const Options& options = {}, const Progress& progress = {});

// Fit and judge the same rows, each left out of its own judgement.
struct Detection {
  Detector detector;
  std::vector<Verdict> verdicts;
  // Much of the table looks anomalous (p <= .001 for over 5 % of the rows): a whole group of normal rows may have been
  // taken for anomalies; docs/p-values.md says what to do.
  bool much_looks_anomalous = false;
};
EXPOSE_API Detection detect(Records rows, const Options& options = {}, std::span<const double> weights = {},
                            const Progress& progress = {});

}  // namespace expose

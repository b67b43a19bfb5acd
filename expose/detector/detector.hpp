// Detector: a plan and the mean of the rows that passed its gate. Learns, judges, forgets, merges.
//
// learn(a + b), merge(learn(a), learn(b)) and forget(learn(a + b + c), c) have equal sums, weights and similarities,
// to the bit, for any order of rows, any blocks and any number of threads. A row's similarity and p-value do not depend
// on the batch it comes in; whether it is flagged does, under fdr, contamination and top.
// Missing values (NaN) are integrated out where the plan can (docs/missing.md); bad rows (infinity, or NaN where it
// cannot) are counted and never learned. Memory: everything; streams that forget have a Watcher.
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
#include "expose/drift/drift.hpp"
#include "expose/score/error_bar.hpp"
#include "expose/score/similarity.hpp"
#include "expose/score/trust.hpp"

namespace expose {

class GroupCalibration;

// What became of the rows given to learn or forget.
struct Learned {
  std::size_t learned = 0;             // passed the gate and changed the model
  std::size_t turned_away = 0;         // good rows that the gate kept out; a row of weight 0 is neither
  std::vector<std::size_t> rejected;   // bad rows, by their index (0-based)
  std::vector<std::size_t> unknown;    // rows without a value in any column that counts, likewise; never learned
  std::vector<std::size_t> landmarks;  // forget only: rows that live on in the plan, as landmarks, likewise
};

class EXPOSE_API Detector {
 public:
  // Rows of the calibration sample, and how many rows must be there before a p-value is named.
  static constexpr std::size_t kCalibrationRows = 2000;

  // Empty, with this plan. Throws Code::invalid_argument for a plan whose memory is not everything.
  explicit Detector(Plan plan, std::size_t threads = 0);

  // Nothing learned; the same plan, threshold and threads.
  Detector empty() const;

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
  // Takes out a model whose rows this one has learned too: everybody but this host; a later checkpoint minus an earlier
  // one, which is the time between. Throws as forget does, and Code::incompatible as merge does.
  void unmerge(const Detector& other);
  friend Detector operator-(Detector a, const Detector& b) {
    a.unmerge(b);
    return a;
  }

  // Feedback on false alarms: rows that a person calls normal enter the mean past the gate, each with a weight (without
  // weights the smallest whole one with which its p-value is above alpha; 0 if it is so already). The calibration
  // sample stays as it is. Returns the weights. Throws Code::not_finite for a bad row and Code::not_found for one that
  // no weight up to that of the model helps: there is nothing near it in the map. docs/labels.md.
  std::vector<double> vouch(Records rows, std::span<const double> weights = {});
  // Takes them out again, to the bit. Throws as forget does.
  void withdraw(Records rows, std::span<const double> weights);

  // New rows, by conformal p-values. Never learns.
  std::vector<Verdict> judge(Records rows) const;
  // New rows whose values are known up to errors: a standard deviation >= 0 for each value, in the units of the rows.
  // Equal to the above where all are 0. Throws Code::invalid_argument for other errors, and for errors above 0 if the
  // map cannot integrate (FeatureMap::integrates). To learn such rows: FeatureMap::project_expected and
  // MeanMap::add_features.
  std::vector<Verdict> judge(Records rows, Records errors) const;
  // The p-value of a new row that is so similar, as judge gives it. In (0, 1], a lower similarity has no higher one; 1
  // for every similarity while there are too few rows.
  double p_value(double similarity) const;
  // The rows it was fitted on, each left out of its own judgement; p-values from a tail fitted to their bulk.
  std::vector<Verdict> judge_fitted(Records rows, std::span<const double> weights = {}) const;

  // The share that each column has in a row's unlikeness: >= 0, sum 1, or all 0; columns() numbers a row, row after
  // row. Constant columns, missing values and bad rows have 0. groups: to which feature each column belongs, from 0 on;
  // then as many numbers a row as there are features. docs/explain.md.
  std::vector<double> explain(Records rows, std::span<const std::uint32_t> groups = {}) const;

  // A set of new rows as one: a host, a customer, a day. With many groups: group[i] is that of row i, and the answer
  // has one verdict for each number up to the largest. A verdict depends on its own rows alone. Bad rows are left out.
  // Throws Code::shape_mismatch for rows of another width or another number of rows than of groups.
  GroupVerdict judge_group(Records rows) const;
  std::vector<GroupVerdict> judge_groups(Records rows, std::span<const std::uint32_t> group) const;

  // The similarities that the p-values of new rows are ranks among, ascending: for pictures.
  std::vector<double> calibration_similarities() const;

  // How far each row's similarity may be off. Infinite for a bad row.
  std::vector<ErrorBar> error_bars(Records rows) const;
  // Whether the map is fine enough for the order of normal rows to mean something, seen on the calibration rows.
  Trust trust() const;

  // How rows are flagged; changing it needs no refit.
  const Threshold& threshold() const { return threshold_; }
  void set_threshold(const Threshold& threshold);

  friend EXPOSE_API bool operator==(const Detector& a, const Detector& b);
  friend EXPOSE_API Drift drift(const Detector& a, const Detector& b);

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
  struct Part;   // what a worker has gathered
  struct Given;  // rows with what is known of them
  friend struct Fitting;

  Detector(Plan plan, std::shared_ptr<Pool> pool);
  State empty_state() const;
  bool is_frequent(std::uint64_t hash) const;
  void require_width(const Records& rows) const;
  State gather(const Given& given, Learned& learned) const;
  void gather_block(const Given& given, std::size_t first, Part& part) const;
  void learn_rows(Rows scaled, const std::optional<Unknown>& unknown, std::span<char> passes, MeanMap& mean) const;
  void add(const State& more);
  void subtract(const State& less);
  void replace(State state);
  MeanMap mean_past_the_gate(Records rows, std::span<const double> weights) const;
  double smallest_weight(Records row, std::size_t number) const;
  std::shared_ptr<const Ready> ready() const;
  Conformal calibrate(const Similarity& similarity) const;
  std::vector<Verdict> look(const Given& given, const Similarity& similarity, Status status, bool fitted) const;
  Learned learn(const Given& given);
  std::vector<Verdict> judge_new(const Given& given) const;
  std::vector<Verdict> judge_fitted(const Given& given) const;
  std::vector<Verdict> look_at_fitted(const Given& given, const Similarity& similarity) const;
  void rank_fitted(std::vector<Verdict>& verdicts, std::span<const std::int64_t> units) const;
  GroupCalibration calibrate_groups(const Similarity& similarity) const;
  std::shared_ptr<const GroupCalibration> group_calibration() const;

  Plan plan_;
  Threshold threshold_ = Alpha{};
  std::shared_ptr<Pool> pool_;
  State state_;
  std::shared_ptr<Lazy> lazy_;  // copies of a detector share it until one of them changes
};

// Whether the rows of two models are of one kind, and which columns moved; docs/drift.md says what the p-value
// promises. Throws Code::incompatible, naming both fingerprints, for models of different plans.
EXPOSE_API Drift drift(const Detector& a, const Detector& b);

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
// The same, to the bit, for rows that come in blocks: three passes, or four where rows are frequent, and no more memory
// than a verdict a row. Throws Code::invalid_argument for a source that cannot be rewound or has other rows then.
EXPOSE_API Detection detect(Source& source, const Options& options = {}, const Progress& progress = {});

}  // namespace expose

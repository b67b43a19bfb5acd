// fit and detect: plan, learn, judge, for rows in memory and for rows that come in blocks.
#include <algorithm>
#include <cmath>

#include "expose/base/error.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/row_hash.hpp"
#include "expose/detector/sampler.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

namespace {

// Rows between two calls of the progress function.
constexpr std::size_t kStride = 512 * kBlockRows;

// Counts rows and asks whether to go on.
class Going {
 public:
  explicit Going(const Progress& progress) : progress_(progress) {}
  void done(std::size_t rows) {
    rows_ += rows;
    if (progress_ && !progress_(rows_)) {
      throw Error(Code::cancelled, "stopped on request after " + std::to_string(rows_) + " rows");
    }
  }

 private:
  const Progress& progress_;
  std::size_t rows_ = 0;
};

// One pass through a source: take(block) for each.
template <class Take>
void pass(Source& source, Going& going, const Take& take) {
  for (Records block = source.next(); !block.empty(); block = source.next()) {
    take(block);
    going.done(block.n());
  }
}

// The hashes of the rows of a source, block by block in each pass. Those of the first rows are kept from the first pass
// on: to hash a row is cheap, but so is everything else that is done to it.
class SourceHashes {
 public:
  SourceHashes(const Options& options, Pool& pool) : options_(options), pool_(pool) {}

  // Of the next block. Good until the next call.
  std::span<const std::uint64_t> of(const Records& block) {
    if (!first_pass_ && block.n() <= kept_.size() - at_) {
      at_ += block.n();
      return std::span(kept_).subspan(at_ - block.n(), block.n());
    }
    HashedRows hashed = hash_good_rows(block, options_.seed, options_.missing, pool_);
    last_ = std::move(hashed.hashes);
    if (first_pass_) all_finite_ = all_finite_ && hashed.all_finite;
    keeps_ = keeps_ && last_.size() <= kMostKept - kept_.size();
    if (keeps_) kept_.insert(kept_.end(), last_.begin(), last_.end());
    at_ = kept_.size();  // beyond a row that is not known none is
    return last_;
  }
  void rewind() {
    first_pass_ = keeps_ = false;
    at_ = 0;
  }
  // Whether the first pass saw only finite numbers.
  bool all_finite() const { return all_finite_; }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 22;  // 32 MiB

  const Options& options_;
  Pool& pool_;
  std::vector<std::uint64_t> kept_, last_;
  std::size_t at_ = 0;
  bool first_pass_ = true, keeps_ = true, all_finite_ = true;
};

[[noreturn]] void throw_no_rows() {
  throw Error(Code::invalid_argument, "a plan needs at least 1 row, the source has none");
}

void rewind_again(Source& source) {
  if (source.rewind()) return;
  throw Error(Code::invalid_argument, "the source could be rewound before it was read, but not after");
}

// A source that grows or shrinks between two passes has no verdicts that belong to its rows.
void require_same_rows(std::size_t learned, std::size_t judged, bool all) {
  if (judged < learned ? !all : judged == learned) return;
  throw Error(Code::invalid_argument, "the source gave " + std::to_string(learned) + " rows to learn and then " +
                                          (all ? "" : "at least ") + std::to_string(judged) +
                                          " to judge; it must give the same rows each time");
}

bool looks_anomalous(const std::vector<Verdict>& verdicts) {
  std::vector<double> p_values;
  p_values.reserve(verdicts.size());
  for (const Verdict& verdict : verdicts) {
    if (verdict.status == Status::ok) p_values.push_back(verdict.p_value);
  }
  return much_looks_anomalous(p_values);
}

// Read once: the first rows are kept until there is a plan, one more than it is made on to see whether there are more.
Detector fit_once(Source& source, const Options& options, Going& going) {
  std::vector<double> first;
  std::size_t columns = 0;
  std::size_t good = 0;
  while (good <= Sampler::kSampleRows) {
    const Records block = source.next();
    if (block.empty()) break;
    if (columns == 0) columns = block.d();
    if (block.d() != columns) {
      throw Error(Code::shape_mismatch, "a block of rows has " + std::to_string(block.d()) +
                                            " columns, the first one has " + std::to_string(columns));
    }
    for (std::size_t i = 0; i < block.n(); ++i) {
      if (is_good(block, i, options.missing)) ++good;
      for (std::size_t k = 0; k < columns; ++k) first.push_back(block.at(i, k));
    }
    going.done(block.n());
  }
  if (columns == 0) throw_no_rows();
  const Records rows(first, columns);
  const bool more = good > Sampler::kSampleRows;
  std::size_t planned = rows.n();
  for (; more && good > Sampler::kSampleRows; --planned) good -= is_good(rows, planned - 1, options.missing) ? 1 : 0;
  Sampler sampler(columns, options.seed, options.missing);
  sampler.add(rows.slice(0, planned));
  const std::vector<double> sample = sampler.sample();
  Detector detector(plan_from_sample(Records(sample, columns), options, sampler.rows(), more), options.threads);
  detector.learn(rows);
  pass(source, going, [&](const Records& block) { detector.learn(block); });
  return detector;
}

// No hash for rows that the plan was hashed with and does not learn: they have no value in the columns that stay, or a
// missing one where the plan turned out not to integrate.
void drop_never_learned(const Plan& plan, const Records& rows, std::vector<std::uint64_t>& hashes) {
  const std::vector<std::uint32_t>& kept = plan.scaler().kept();
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const bool any = std::ranges::any_of(kept, [&](std::uint32_t k) { return !std::isnan(rows.at(i, k)); });
    if (!any || !is_good(rows, i, plan.missing())) hashes[i] = kNoHash;
  }
}

}  // namespace

// What may look inside a detector. Rows in memory: each is hashed once, for the plan and for the calibration sample,
// and asked at the gate once. Rows in blocks are asked at the gate once too.
struct Fitting {
  // What is found out about the rows on the way; see Detector::Given.
  struct FoundOut {
    std::vector<char> admitted;  // empty: nobody wants to know
    bool all_finite = false;
  };

  static Detector fit(Records rows, const Options& options, std::span<const double> weights, const Progress& progress,
                      FoundOut& found) {
    require_valid(options);
    Going going(progress);
    const auto pool = std::make_shared<Pool>(options.threads);
    auto [hashes, all_finite] = hash_good_rows(rows, options.seed, options.missing, *pool);
    found.all_finite = all_finite;
    Detector detector(plan_from_hashes(rows, hashes, options, weights), pool);
    detector.set_threshold(threshold_of(options));
    if (!all_finite) drop_never_learned(detector.plan(), rows, hashes);
    going.done(rows.n());
    const std::vector<std::int64_t> units = weight_units(weights, rows.n());
    const Detector::Given given{rows, units, hashes, found.admitted, all_finite};
    for (std::size_t begin = 0; begin < rows.n(); begin += kStride) {
      const std::size_t end = std::min(begin + kStride, rows.n());
      detector.learn(given.slice(begin, end));
      going.done(end - begin);
    }
    return detector;
  }

  // Read twice or three times: sample, recount if some rows are frequent, learn.
  // admitted: whether each row passed the gate, one after the other; null: nobody wants to know.
  static Detector fit_again_and_again(Source& source, const Options& options, Going& going,
                                      std::vector<char>* admitted) {
    const auto pool = std::make_shared<Pool>(options.threads);
    SourceHashes hashes(options, *pool);
    std::optional<Sampler> sampler;
    pass(source, going, [&](const Records& block) {
      if (!sampler) sampler.emplace(block.d(), options.seed, options.missing);
      sampler->add(block, hashes.of(block), {});
    });
    if (!sampler) throw_no_rows();
    if (sampler->wants_second_pass()) {
      rewind_again(source);
      hashes.rewind();
      pass(source, going, [&](const Records& block) { sampler->recount(block, hashes.of(block), {}); });
    }
    const std::vector<double> sample = sampler->sample();
    Detector detector(plan_from_sample(Records(sample, sampler->columns()), options, sampler->rows()), pool);
    sampler.reset();
    detector.set_threshold(threshold_of(options));
    rewind_again(source);
    hashes.rewind();
    std::vector<char> of_block;
    pass(source, going, [&](const Records& block) {
      detector.require_width(block);
      if (admitted != nullptr) of_block.assign(block.n(), 0);
      // A row with missing values may turn out not to be learned, and then its hash must not be known.
      const std::span<const std::uint64_t> known =
          hashes.all_finite() ? hashes.of(block) : std::span<const std::uint64_t>();
      detector.learn(Detector::Given{.rows = block, .hashes = known, .admitted = of_block});
      if (admitted != nullptr) admitted->insert(admitted->end(), of_block.begin(), of_block.end());
    });
    return detector;
  }

  // The last pass, over the rows that were learned.
  static std::vector<Verdict> judge(const Detector& detector, Source& source, Going& going,
                                    std::vector<char>& admitted) {
    const Similarity similarity(detector.state_.mean);
    std::vector<Verdict> verdicts;
    verdicts.reserve(admitted.size());
    rewind_again(source);
    pass(source, going, [&](const Records& block) {
      detector.require_width(block);
      require_same_rows(admitted.size(), verdicts.size() + block.n(), false);
      const std::span<char> of_block = std::span(admitted).subspan(verdicts.size(), block.n());
      const std::vector<Verdict> some =
          detector.look_at_fitted(Detector::Given{.rows = block, .admitted = of_block}, similarity);
      verdicts.insert(verdicts.end(), some.begin(), some.end());
    });
    require_same_rows(admitted.size(), verdicts.size(), true);
    detector.rank_fitted(verdicts, {});
    return verdicts;
  }

  static std::vector<Verdict> judge(const Detector& detector, Records rows, std::span<const double> weights,
                                    FoundOut& found) {
    const std::vector<std::int64_t> units = weight_units(weights, rows.n());
    return detector.judge_fitted({rows, units, {}, found.admitted, found.all_finite});
  }
};

Detector fit(Records rows, const Options& options, std::span<const double> weights, const Progress& progress) {
  Fitting::FoundOut found;
  return Fitting::fit(rows, options, weights, progress, found);
}

Detector fit(Source& source, const Options& options, const Progress& progress) {
  require_valid(options);
  Going going(progress);
  if (source.rewind()) return Fitting::fit_again_and_again(source, options, going, nullptr);
  Detector detector = fit_once(source, options, going);
  detector.set_threshold(threshold_of(options));
  return detector;
}

Detection detect(Records rows, const Options& options, std::span<const double> weights, const Progress& progress) {
  Fitting::FoundOut found{std::vector<char>(rows.n())};
  Detection detection{Fitting::fit(rows, options, weights, progress, found), {}, false};
  detection.verdicts = Fitting::judge(detection.detector, rows, weights, found);
  detection.much_looks_anomalous = looks_anomalous(detection.verdicts);
  return detection;
}

Detection detect(Source& source, const Options& options, const Progress& progress) {
  require_valid(options);
  if (!source.rewind()) {
    throw Error(Code::invalid_argument,
                "detect reads its rows more than once, and this source cannot be rewound; take rows in memory or a "
                "file, or fit a detector to the source and judge other rows with it");
  }
  Going going(progress);
  std::vector<char> admitted;
  Detection detection{Fitting::fit_again_and_again(source, options, going, &admitted), {}, false};
  detection.verdicts = Fitting::judge(detection.detector, source, going, admitted);
  detection.much_looks_anomalous = looks_anomalous(detection.verdicts);
  return detection;
}

}  // namespace expose

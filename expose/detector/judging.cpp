// How a detector judges: new rows by conformal p-values, fitted rows by a tail fitted to their bulk.
#include <algorithm>
#include <cmath>

#include "expose/calibrate/recent.hpp"
#include "expose/calibrate/tail.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"
#include "expose/detector/stored.hpp"

namespace expose {

namespace {

// The similarity of a row to the others, of a model that weighs W. Its own term is k(x, x) = 1, or what missing values
// leave of it, of one copy: a row that weighs 2 is two rows, each of which has the other beside it. A row that weighs
// less than 1 takes only that with it. Nobody is more like the others without itself, whatever rounding says: among
// equal rows a new one must not look odd.
double leave_out(double eta, double W, double weight, double own_similarity) {
  const double own = std::min(weight, 1.0);
  return W > own ? std::min(eta, without_own(eta, W, own, own_similarity)) : 0.0;
}

// Of the rows from begin to end those that have a p-value.
std::vector<std::size_t> judged_rows(const std::vector<Verdict>& verdicts, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> judged;
  judged.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (verdicts[i].status == Status::ok) judged.push_back(i);
  }
  return judged;
}

Tail tail_of(const SurpriseCounts& counts) {
  std::vector<double> rows;
  rows.reserve(SurpriseCounts::kBins);
  for (const std::int64_t count : counts.counts()) rows.push_back(in_rows(count));
  return Tail(rows);
}

// Rows without any value, and rows whose values all stand in columns that dropped out.
void set_unknown_apart(const Records& rows, std::size_t d, GoodRows& good) {
  if (good.index.size() < rows.n()) {
    for (std::size_t i = 0; i < rows.n(); ++i) {
      if (is_unknown(rows, i, Missing::integrate)) good.unknown.push_back(i);
    }
  }
  const Rows scaled(good.scaled, d);
  std::size_t known = 0;
  for (std::size_t g = 0; g < good.index.size(); ++g) {
    if (all_missing(scaled[g])) {
      good.unknown.push_back(good.index[g]);
      continue;
    }
    if (known < g) {
      std::ranges::copy(scaled[g], good.scaled.begin() + static_cast<std::ptrdiff_t>(known * d));
      good.index[known] = good.index[g];
    }
    ++known;
  }
  good.index.resize(known);
  good.scaled.resize(known * d);
  std::ranges::sort(good.unknown);
}

}  // namespace

void scale_good_rows(const Plan& plan, const Records& rows, GoodRows& good, bool all_finite) {
  const std::size_t d = plan.d();
  good.index.clear();
  good.unknown.clear();
  good.complete = all_finite || rows.all_finite();
  good.scaled.resize(rows.n() * d);
  const auto take = [&](std::size_t begin, std::size_t end) {
    plan.scaler().apply(rows.slice(begin, end),
                        std::span(good.scaled).subspan(good.index.size() * d, (end - begin) * d));
    for (std::size_t i = begin; i < end; ++i) good.index.push_back(i);
  };
  if (good.complete) return take(0, rows.n());
  for_good_runs(rows, plan.missing(), take);
  good.scaled.resize(good.index.size() * d);
  if (plan.missing() == Missing::integrate) set_unknown_apart(rows, d, good);
}

std::vector<std::size_t> find_landmarks(const Plan& plan, const Records& rows) {
  if (plan.map()->recipe().landmarks.empty()) return {};
  const GoodRows good = scale_good_rows(plan, rows);
  const std::vector<char> are = are_landmarks(plan, Rows(good.scaled, plan.d()));
  std::vector<std::size_t> found;
  for (std::size_t g = 0; g < are.size(); ++g) {
    if (are[g] != 0) found.push_back(good.index[g]);
  }
  return found;
}

std::vector<char> pass_gate(const Plan& plan, Rows scaled) {
  std::vector<char> passes(scaled.n(), 1);
  if (!plan.gatekeeper()) return passes;
  const std::vector<double> eta = plan.gatekeeper()->similarity(scaled);
  std::ranges::transform(eta, passes.begin(), [&](double one) { return plan.admits(one) ? 1 : 0; });
  return passes;
}

// The calibration rows as they judge themselves: left out of their own judgement if they are in the mean. Frequent rows
// have their exact counts; the others, a draw of the distinct rows, stand together for all the rest. A drawn row may
// stand for many, but counts once: after much was forgotten few are left, and a p-value must not claim more of them.
Conformal Detector::calibrate(const Similarity& similarity) const {
  const StoredRows stored = stored_rows(state_, plan_.d());
  const Rows rows = stored.view();
  const std::optional<Unknown>& unknown = plan_.parts().unknown;
  std::vector<double> eta = similarity_of(similarity, unknown, rows, {}, pool_.get());
  const std::vector<char> passes = pass_gate(plan_, rows);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (passes[i] != 0)
      eta[i] = leave_out(eta[i], similarity.n(), stored.copies[i], own_similarity(*plan_.map(), unknown, rows[i]));
  }
  std::vector<double> calibration;
  for (const std::size_t i : draw(stored.weights, worth(stored, kCalibrationRows))) calibration.push_back(eta[i]);
  return Conformal(calibration);
}

std::shared_ptr<const Detector::Ready> Detector::ready() const {
  return lazy_->once(lazy_->ready, [&] {
    Similarity similarity(state_.mean);
    Conformal conformal = calibrate(similarity);
    return Ready{std::move(similarity), std::move(conformal)};
  });
}

std::vector<double> Detector::calibration_similarities() const {
  const std::shared_ptr<const Ready> model = ready();
  const std::span<const double> similarities = model->conformal.similarities();
  return {similarities.begin(), similarities.end()};
}

// Similarities and statuses; a fitted row that passed the gate is left out of its own judgement.
std::vector<Verdict> Detector::look(const Given& given, const Similarity& similarity, Status status,
                                    bool fitted) const {
  std::vector<Verdict> verdicts(given.rows.n(), Verdict{.status = Status::rejected});
  std::vector<GoodRows> room(pool_->threads());
  in_blocks(*pool_, given.rows.n(), [&](std::size_t begin, std::size_t end, std::size_t worker) {
    const Given some = given.slice(begin, end);
    GoodRows& good = room[worker];
    scale_good_rows(plan_, some.rows, good, some.all_finite);
    const Rows scaled(good.scaled, plan_.d());
    std::vector<float> bars;
    for (const std::size_t i : good.index) {
      if (!some.bars.empty()) bars.insert(bars.end(), some.bars[i].begin(), some.bars[i].end());
    }
    const std::optional<Unknown>& unknown = good.stand_in(plan_);
    const std::vector<double> eta = similarity_of(similarity, unknown, scaled, Rows(bars, plan_.d()));
    for (const std::size_t i : good.unknown) verdicts[begin + i].status = Status::unknown;
    const std::vector<char> passes = fitted && some.admitted.empty() ? pass_gate(plan_, scaled) : std::vector<char>();
    for (std::size_t g = 0; g < eta.size(); ++g) {
      const std::size_t i = good.index[g];
      const bool inside = fitted && (some.admitted.empty() ? passes[g] : some.admitted[i]) != 0;
      const double weight = some.units.empty() ? 1.0 : in_rows(some.units[i]);
      verdicts[begin + i].similarity =
          inside ? leave_out(eta[g], similarity.n(), weight, own_similarity(*plan_.map(), unknown, scaled[g])) : eta[g];
      verdicts[begin + i].status = status;
    }
  });
  return verdicts;
}

std::vector<Verdict> Detector::judge(Records rows) const {
  require_width(rows);
  return judge_new({rows});
}

std::vector<Verdict> Detector::judge(Records rows, Records errors) const {
  require_width(rows);
  std::vector<float> variances(rows.n() * plan_.d());
  plan_.scaler().apply_errors(rows, errors, variances);
  return judge_new({.rows = rows, .bars = Rows(variances, plan_.d())});
}

std::vector<Verdict> Detector::judge_new(const Given& given) const {
  const std::shared_ptr<const Ready> model = ready();
  const Status status = model->conformal.rows() < kFewestRows ? Status::learning : Status::ok;
  std::vector<Verdict> verdicts = look(given, model->similarity, status, false);
  for (Verdict& verdict : verdicts) {
    if (verdict.status == Status::ok) verdict.p_value = model->conformal.p_value(verdict.similarity);
  }
  set_flags(verdicts, threshold_);
  return verdicts;
}

double Detector::p_value(double similarity) const {
  const std::shared_ptr<const Ready> model = ready();
  return model->conformal.rows() < kFewestRows ? 1.0 : model->conformal.p_value(similarity);
}

std::vector<Verdict> Detector::judge_fitted(Records rows, std::span<const double> weights) const {
  require_width(rows);
  const std::vector<std::int64_t> units = weight_units(weights, rows.n());
  return judge_fitted(Given{rows, units});
}

std::vector<Verdict> Detector::judge_fitted(const Given& given) const {
  std::vector<Verdict> verdicts = look_at_fitted(given, Similarity(state_.mean));
  rank_fitted(verdicts, given.units);
  return verdicts;
}

std::vector<Verdict> Detector::look_at_fitted(const Given& given, const Similarity& similarity) const {
  return look(given, similarity, weight() < static_cast<double>(kFewestRows) ? Status::learning : Status::ok, true);
}

// p-values from a tail fitted to the bulk of all of them, and flags. Until there is a tail, the place of the p-value
// holds the surprise.
void Detector::rank_fitted(std::vector<Verdict>& verdicts, std::span<const std::int64_t> units) const {
  std::vector<SurpriseCounts> parts(pool_->threads());
  in_blocks(*pool_, verdicts.size(), [&](std::size_t begin, std::size_t end, std::size_t worker) {
    const std::vector<std::size_t> judged = judged_rows(verdicts, begin, end);
    std::vector<double> values;
    values.reserve(judged.size());
    for (const std::size_t i : judged) values.push_back(verdicts[i].similarity);
    to_surprises(values);
    for (std::size_t j = 0; j < judged.size(); ++j) {
      verdicts[judged[j]].p_value = values[j];
      parts[worker].add_surprise(values[j], units.empty() ? kWeightUnits : units[judged[j]]);
    }
  });
  for (std::size_t worker = 1; worker < parts.size(); ++worker) parts[0] += parts[worker];
  const Tail tail = tail_of(parts[0]);
  in_blocks(*pool_, verdicts.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    const std::vector<std::size_t> judged = judged_rows(verdicts, begin, end);
    std::vector<double> values;
    values.reserve(judged.size());
    for (const std::size_t i : judged) values.push_back(verdicts[i].p_value);
    tail.to_p_values(values);
    for (std::size_t j = 0; j < judged.size(); ++j) verdicts[judged[j]].p_value = values[j];
  });
  set_flags(verdicts, threshold_);
}

}  // namespace expose

// How a detector judges: new rows by conformal p-values, fitted rows by a tail fitted to their bulk.
#include <algorithm>
#include <cmath>
#include <set>

#include "expose/calibrate/recent.hpp"
#include "expose/calibrate/tail.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/detector.hpp"

namespace expose {

namespace {

// The similarity of a row to the others, of a model that weighs W. Its own term k(x, x) is 1, of one copy: a row that
// weighs 2 is two rows, each of which has the other beside it. A row that weighs less than 1 takes only that with it.
// Nobody is more like the others without itself, whatever rounding says: among equal rows a new one must not look odd.
double leave_out(double eta, double W, double weight) {
  const double own = std::min(weight, 1.0);
  return W > own ? std::min(eta, (W * eta - own) / (W - own)) : 0.0;
}

// Copies of each similarity, `wanted` in all, in proportion to the weights: rounded so that the first j rows together
// always have their share, to one copy.
std::vector<double> represent(const std::vector<double>& eta, const std::vector<double>& weights, double wanted) {
  double total = 0;
  for (const double weight : weights) total += weight;
  std::vector<double> copies;
  if (!(total > 0)) return copies;  // every row was forgotten
  double upto = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    upto += weights[i];
    const auto place = static_cast<std::size_t>(upto / total * wanted + 0.5);
    while (copies.size() < place) copies.push_back(eta[i]);
  }
  return copies;
}

void set_flags(std::vector<Verdict>& verdicts, const Threshold& threshold) {
  std::vector<double> p_values, similarities;
  std::vector<char> eligible;
  for (const Verdict& verdict : verdicts) {
    p_values.push_back(verdict.p_value);
    similarities.push_back(verdict.similarity);
    eligible.push_back(verdict.status == Status::ok ? 1 : 0);
  }
  const std::vector<char> flags = flag(p_values, similarities, eligible, threshold);
  for (std::size_t i = 0; i < verdicts.size(); ++i) verdicts[i].anomalous = flags[i] != 0;
}

}  // namespace

GoodRows scale_good_rows(const Scaler& scaler, const Records& rows) {
  GoodRows good;
  good.index.reserve(rows.n());
  good.scaled.resize(rows.n() * scaler.d());
  for_good_runs(rows, [&](std::size_t begin, std::size_t end) {
    scaler.apply(rows.slice(begin, end),
                 std::span(good.scaled).subspan(good.index.size() * scaler.d(), (end - begin) * scaler.d()));
    for (std::size_t i = begin; i < end; ++i) good.index.push_back(i);
  });
  good.scaled.resize(good.index.size() * scaler.d());
  return good;
}

std::vector<std::size_t> find_landmarks(const Plan& plan, const Records& rows) {
  const std::vector<float>& landmarks = plan.map()->recipe().landmarks;
  if (landmarks.empty()) return {};
  const Rows known(landmarks, plan.d());
  std::set<std::vector<float>> wanted;
  for (std::size_t j = 0; j < known.n(); ++j) wanted.emplace(known[j].begin(), known[j].end());
  std::vector<std::size_t> found;
  std::vector<float> row(plan.d());
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (!is_good(rows, i)) continue;
    plan.scaler().apply(rows.slice(i, i + 1), row);
    if (wanted.contains(row)) found.push_back(i);
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
  std::vector<float> rows;
  std::vector<double> weights, own;
  double frequent = 0, drawn = 0;
  for (const BottomRows<float>* sample : {&state_.frequent, &state_.calibration}) {
    for (const auto& [hash, entry] : *sample) {
      rows.insert(rows.end(), entry.row.begin(), entry.row.end());
      own.push_back(in_rows(entry.count));
      (sample == &state_.frequent ? frequent : drawn) += own.back();
    }
  }
  weights = own;
  const double rest = std::max(0.0, weight() - frequent);
  for (std::size_t i = state_.frequent.size(); i < weights.size(); ++i) weights[i] *= rest / drawn;
  const double known = rest > drawn ? weight() * (drawn / rest) : weight();
  const Rows scaled(rows, plan_.d());
  std::vector<double> eta = similarity.of(scaled, pool_.get());
  const std::vector<char> passes = pass_gate(plan_, scaled);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (passes[i] != 0) eta[i] = leave_out(eta[i], similarity.n(), own[i]);
  }
  return Conformal(represent(eta, weights, std::floor(std::min(known, static_cast<double>(kCalibrationRows)))));
}

std::shared_ptr<const Detector::Ready> Detector::ready() const {
  const std::lock_guard lock(lazy_->mutex);
  if (!lazy_->ready) {
    Similarity similarity(state_.mean);
    Conformal conformal = calibrate(similarity);
    lazy_->ready = std::make_shared<const Ready>(Ready{std::move(similarity), std::move(conformal)});
  }
  return lazy_->ready;
}

// Similarities and statuses; a fitted row that passed the gate is left out of its own judgement.
std::vector<Verdict> Detector::look(Records rows, const Similarity& similarity, Status status, bool fitted,
                                    std::span<const std::int64_t> units) const {
  std::vector<Verdict> verdicts(rows.n(), Verdict{.status = Status::rejected});
  pool_->run((rows.n() + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kBlock;
    const GoodRows good = scale_good_rows(plan_.scaler(), rows.slice(begin, std::min(begin + kBlock, rows.n())));
    const Rows scaled(good.scaled, plan_.d());
    std::vector<double> eta = similarity.of(scaled);
    if (fitted) {
      const std::vector<char> passes = pass_gate(plan_, scaled);
      for (std::size_t g = 0; g < eta.size(); ++g) {
        const double weight = units.empty() ? 1.0 : in_rows(units[begin + good.index[g]]);
        if (passes[g] != 0) eta[g] = leave_out(eta[g], similarity.n(), weight);
      }
    }
    for (std::size_t g = 0; g < eta.size(); ++g) {
      verdicts[begin + good.index[g]].similarity = eta[g];
      verdicts[begin + good.index[g]].status = status;
    }
  });
  return verdicts;
}

std::vector<Verdict> Detector::judge(Records rows) const {
  require_width(rows);
  const std::shared_ptr<const Ready> model = ready();
  const Status status = model->conformal.rows() < kFewestRows ? Status::learning : Status::ok;
  std::vector<Verdict> verdicts = look(rows, model->similarity, status, false, {});
  for (Verdict& verdict : verdicts) {
    if (verdict.status == Status::ok) verdict.p_value = model->conformal.p_value(verdict.similarity);
  }
  set_flags(verdicts, threshold_);
  return verdicts;
}

std::vector<Verdict> Detector::judge_fitted(Records rows, std::span<const double> weights) const {
  require_width(rows);
  const std::vector<std::int64_t> units = weight_units(weights, rows.n());
  const Status status = weight() < static_cast<double>(kFewestRows) ? Status::learning : Status::ok;
  std::vector<Verdict> verdicts = look(rows, Similarity(state_.mean), status, true, units);
  SurpriseCounts counts;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].status == Status::ok) counts.add(verdicts[i].similarity, units.empty() ? kWeightUnits : units[i]);
  }
  std::vector<double> judged;
  judged.reserve(SurpriseCounts::kBins);
  for (const std::int64_t count : counts.counts()) judged.push_back(in_rows(count));
  const Tail tail(judged);
  for (Verdict& verdict : verdicts) {
    if (verdict.status == Status::ok) verdict.p_value = tail.p_value(verdict.similarity);
  }
  set_flags(verdicts, threshold_);
  return verdicts;
}

}  // namespace expose

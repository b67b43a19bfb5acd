#include "cli/report/gather.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/labels.hpp"
#include "cli/models.hpp"
#include "cli/report/charts.hpp"
#include "cli/report/page.hpp"
#include "expose/base/error.hpp"
#include "expose/base/version.hpp"
#include "expose/detector/missing.hpp"
#include "expose/encode/field.hpp"
#include "expose/encode/time_of.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kFewestTopRows = 15;
constexpr std::size_t kFewestToCompare = 60;  // rows, for first and last to say something

// Rows worth a point, and those that the page lists. Ascending.
std::vector<std::size_t> drawn_and_listed(std::span<const Verdict> verdicts) {
  std::vector<std::size_t> rows = rows_to_draw(verdicts, kMostPoints - kMostTopRows);
  for (const std::size_t i : most_anomalous(verdicts, kMostTopRows)) rows.push_back(i);
  std::ranges::sort(rows);
  const auto twice = std::ranges::unique(rows);
  rows.erase(twice.begin(), twice.end());
  return rows;
}

// Goes through the rows once and takes what is wanted of each.
class Gatherer {
 public:
  Gatherer(Input& input, const Detection& found, const std::vector<std::string>& anomaly)
      : input_(input),
        found_(found),
        reader_(anomaly),
        drawn_(drawn_and_listed(found.verdicts)),
        first_(found.detector.plan()),
        last_(found.detector.plan()) {
    const std::vector<Column>& all = input.columns().all();
    const auto time = std::ranges::find(all, Role::time, &Column::role);
    if (time != all.end()) time_ = static_cast<std::size_t>(time - all.begin());
  }

  void run() {
    input_.rewind();
    std::size_t begin = 0;
    for (Records rows = input_.next(); !rows.empty(); rows = input_.next()) {
      take_drawn(rows, begin);
      take_texts(rows.n());
      if (found_.verdicts.size() >= kFewestToCompare) take_ends(rows, begin);
      begin += rows.n();
    }
  }

  ReportPicture picture() const {
    const Plan& plan = found_.detector.plan();
    const Filled all = points(numbers_);
    const std::vector<double> sample_numbers = some_rows(numbers_);
    const Filled sample = points(sample_numbers);
    const Picture picture = principal_components(*plan.map(), sample.rows(), all.rows(), &input_.pool());
    ReportPicture shown{.points = {}, .variance = picture.variance};
    for (std::size_t k = 0; k < drawn_.size(); ++k) {
      shown.points.push_back({drawn_[k] + 1, picture.points[k], found_.verdicts[drawn_[k]]});
    }
    return shown;
  }
  bool has_picture() const { return !drawn_.empty(); }

  std::optional<ReportTime> time() const {
    if (time_ == Columns::kNowhere) return std::nullopt;
    return ReportTime{input_.columns().all()[time_].name, seconds_};
  }

  // First and last third: if rows change slowly, their means differ more than those of two halves, by more than the
  // fewer rows take away.
  std::optional<ReportDrift> drift() const {
    if (!(first_.weight() > 0) || !(last_.weight() > 0)) return std::nullopt;
    const Drift drift = expose::drift(first_, last_);
    ReportDrift shown{static_cast<std::size_t>(first_.weight()),
                      static_cast<std::size_t>(last_.weight()),
                      drift.mmd,
                      drift.p_value,
                      {}};
    const std::vector<double> shares = input_.columns().by_column(drift.features);
    for (std::size_t c = 0; c < shares.size(); ++c) {
      if (shares[c] > 0) shown.columns.push_back({input_.columns().all()[c].name, "", shares[c]});
    }
    std::ranges::stable_sort(shown.columns, std::ranges::greater{}, &ReportShare::share);
    return shown;
  }

  const std::vector<std::string>& texts() const { return label_texts_; }

  // Nothing where the labels do not say normal or anomaly, or are all the same.
  std::optional<double> auc(Console& console) const {
    if (!input_.has_label()) return std::nullopt;
    try {
      std::vector<Label> labels;
      for (const std::string& text : label_texts_) labels.push_back(reader_.read(text));
      return agreement(found_.verdicts, labels).auc;
    } catch (const Error& error) {
      console.say("note: no AUC in the report: " + std::string(error.what()));
      return std::nullopt;
    }
  }

 private:
  void take_drawn(const Records& rows, std::size_t begin) {
    for (; next_drawn_ < drawn_.size() && drawn_[next_drawn_] < begin + rows.n(); ++next_drawn_) {
      const double* const row = rows.doubles(drawn_[next_drawn_] - begin);
      numbers_.insert(numbers_.end(), row, row + rows.d());
    }
  }

  void take_texts(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool bad = input_.block().is_bad(i);
      if (input_.has_label()) label_texts_.emplace_back(bad ? std::string() : as_utf8(input_.label(i)));
      if (time_ == Columns::kNowhere) continue;
      const std::optional<double> seconds = bad ? std::nullopt : read_seconds(input_.value(i, time_));
      seconds_.push_back(seconds.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }

  void take_ends(const Records& rows, std::size_t begin) {
    const std::size_t third = found_.verdicts.size() / 3;
    const std::size_t end = begin + rows.n(), from = found_.verdicts.size() - third;
    if (begin < third) first_.learn(rows.slice(0, std::min(end, third) - begin));
    if (end > from) last_.learn(rows.slice(std::max(begin, from) - begin, rows.n()));
  }

  std::vector<double> some_rows(const std::vector<double>& numbers) const {
    const std::size_t width = input_.columns().width(), n = numbers.size() / width;
    const std::size_t count = std::min(Picture::kSampleRows, n);
    std::vector<double> some;
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = numbers.begin() + static_cast<std::ptrdiff_t>(k * n / count * width);
      some.insert(some.end(), row, row + static_cast<std::ptrdiff_t>(width));
    }
    return some;
  }

  Filled points(const std::vector<double>& numbers) const {
    const Plan& plan = found_.detector.plan();
    const Records rows(numbers, plan.columns());
    std::vector<float> scaled(rows.n() * plan.d());
    plan.scaler().apply(rows, scaled);
    return fill(plan.parts().unknown, Rows(scaled, plan.d()));
  }

  Input& input_;
  const Detection& found_;
  LabelReader reader_;
  std::vector<std::size_t> drawn_;  // rows, from 0 on
  std::size_t next_drawn_ = 0;
  std::vector<double> numbers_;  // of the drawn rows
  std::vector<std::string> label_texts_;
  std::size_t time_ = Columns::kNowhere;
  std::vector<double> seconds_;
  Detector first_, last_;
};

std::vector<ReportColumn> columns_of(const Columns& columns) {
  std::vector<ReportColumn> shown;
  for (const Column& column : columns.all()) {
    std::string note;
    if (column.role == Role::category) {
      note = counted(column.levels.size(), "value");
      if (column.has_rare()) note += column.open ? ", and others that are rare" : ", and some that are rare";
    }
    shown.push_back({column.name, name(column.role), note});
  }
  return shown;
}

std::vector<ReportRow> top_rows(Input& input, const Detection& found, const std::vector<std::string>& labels) {
  const auto flagged = static_cast<std::size_t>(std::ranges::count_if(found.verdicts, &Verdict::anomalous));
  const std::vector<std::size_t> rows =
      most_anomalous(found.verdicts, std::clamp(flagged, kFewestTopRows, kMostTopRows));
  std::vector<ReportRow> top;
  for (JudgedRow& row : described_in_table(input, rows, found.verdicts, kMostReasons, explain_with(found.detector))) {
    ReportRow shown{.row = row.row, .id = row.id, .label = {}, .verdict = row.verdict, .reasons = {}};
    if (!labels.empty()) shown.label = labels[row.row - 1];
    for (Reason& reason : row.reasons) shown.reasons.push_back({reason.column, reason.value, reason.share});
    top.push_back(std::move(shown));
  }
  return top;
}

std::string column_of(const Columns& columns, Role role) {
  const auto found = std::ranges::find(columns.all(), role, &Column::role);
  return found == columns.all().end() ? "" : found->name;
}

}  // namespace

ReportData gather_report(Input& input, const Detection& found, const std::vector<std::string>& anomaly,
                         Console& console) {
  Gatherer rows(input, found, anomaly);
  rows.run();
  ReportData data;
  data.version = version();
  data.command = console.command();
  data.files = input.files().empty() ? std::vector<std::string>{"standard input"} : input.files();
  data.verdicts = found.verdicts;
  data.threshold = found.detector.threshold();
  if (found.much_looks_anomalous) data.notes.push_back(much_is_anomalous());
  data.id_column = column_of(input.columns(), Role::id);
  data.label_column = column_of(input.columns(), Role::label);
  data.auc = rows.auc(console);
  data.top = top_rows(input, found, rows.texts());
  if (rows.has_picture()) data.picture = rows.picture();
  data.time = rows.time();
  data.drift = rows.drift();
  data.bad_rows = input.bad_rows();
  for (std::size_t i = 0; i < std::min(input.bad().size(), kMostBadRows); ++i) {
    data.bad.push_back(io::sentence(input.bad()[i]));
  }
  data.plan = found.detector.plan().description();
  data.columns = columns_of(input.columns());
  data.column_notes = input.notes();
  return data;
}

}  // namespace expose::cli

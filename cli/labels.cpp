#include "cli/labels.hpp"

#include <algorithm>
#include <array>

#include "cli/verbs.hpp"
#include "expose/calibrate/ranking.hpp"
#include "expose/encode/field.hpp"

namespace expose::cli {

namespace {

constexpr std::array<std::string_view, 7> kNormal = {"0", "false", "f", "no", "n", "normal", "inlier"};
constexpr std::array<std::string_view, 10> kAnomaly = {"1",       "true",      "t",        "yes",     "y",
                                                       "anomaly", "anomalous", "abnormal", "outlier", "fraud"};

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

// 1 is 1.0, and Fraud is fraud.
bool same_value(std::string_view a, std::string_view b) {
  double x = 0, y = 0;
  if (read_number(a, x) == Field::number && read_number(b, y) == Field::number) return x == y;
  return in_small_letters(a) == in_small_letters(b);
}

template <class Values>
bool is_one_of(std::string_view text, const Values& values) {
  return std::ranges::any_of(values, [&](std::string_view value) { return same_value(text, value); });
}

}  // namespace

void declare_anomaly(Arguments& arguments, std::vector<std::string>& anomaly) {
  arguments.group("Columns");
  arguments.option("--anomaly", "VALUE,..",
                   "the labels that mean an anomaly; all others are normal (default: 1, true, yes, anomaly, outlier, "
                   "fraud against 0, false, no, normal; an empty field is no label)",
                   anomaly);
}

void require_label(const InputChoice& choice) {
  if (choice.columns.label.empty()) throw CommandError("name the column that has the labels: --label COL");
}

Label LabelReader::read(std::string_view text) const {
  text = trimmed(text);
  if (is_missing(text)) return Label::unlabelled;
  if (!anomaly_.empty()) return is_one_of(text, anomaly_) ? Label::anomaly : Label::normal;
  if (is_one_of(text, kAnomaly)) return Label::anomaly;
  if (is_one_of(text, kNormal)) return Label::normal;
  throw Error(Code::invalid_argument, "nothing tells whether " + in_quotes(text) +
                                          " means normal or anomaly; --anomaly VALUE names the labels of anomalies");
}

void LabelReader::read(const Input& input, std::vector<Label>& labels) {
  const TableBlock& block = input.block();
  for (std::size_t i = 0; i < block.rows(); ++i) {
    try {
      labels.push_back(block.is_bad(i) ? Label::unlabelled : read(input.label(i)));
      came_ = came_ || labels.back() == Label::anomaly;
      if (came_ || labels.back() == Label::unlabelled || seen_.size() > kMostNamed) continue;
      const std::string text(trimmed(input.label(i)));
      if (std::ranges::find(seen_, text) == seen_.end()) seen_.push_back(text);
    } catch (const Error& error) {
      throw Error(error.code(), block.file + ", row " + std::to_string(block.first_row + i) + ", column '" +
                                    input.label_name() + "': " + error.what());
    }
  }
}

void LabelReader::require_anomaly() const {
  if (anomaly_.empty() || came_ || seen_.empty()) return;
  std::string there;
  for (std::size_t i = 0; i < std::min(seen_.size(), kMostNamed); ++i)
    there += (i > 0 ? ", " : "") + in_quotes(seen_[i]);
  if (seen_.size() > kMostNamed) there += " and others";
  throw Error(Code::invalid_argument,
              "no row has the label " + in_quotes(anomaly_.front()) + " that --anomaly names; there are " + there);
}

Agreement agreement(std::span<const Verdict> verdicts, std::span<const Label> labels) {
  Agreement found;
  std::vector<double> anomalies, normals;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].status != Status::ok || labels[i] == Label::unlabelled) {
      ++found.left_out;
      continue;
    }
    const bool anomaly = labels[i] == Label::anomaly;
    (anomaly ? anomalies : normals).push_back(verdicts[i].similarity);
    ++(anomaly ? (verdicts[i].anomalous ? found.true_positives : found.false_negatives)
               : (verdicts[i].anomalous ? found.false_positives : found.true_negatives));
  }
  if (anomalies.empty() || normals.empty()) {
    throw Error(Code::invalid_argument, "among the judged rows " + counted(anomalies.size(), "is", "are") +
                                            " labelled as anomalies and " + with_commas(normals.size()) +
                                            " as normal; there must be some of both");
  }
  found.auc = auc(anomalies, normals);
  found.average_precision = average_precision(anomalies, normals);
  found.balanced_accuracy = balanced_accuracy({.flagged_anomalies = found.true_positives,
                                               .missed_anomalies = found.false_negatives,
                                               .flagged_normals = found.false_positives,
                                               .passed_normals = found.true_negatives});
  return found;
}

}  // namespace expose::cli

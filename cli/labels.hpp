// What the texts of a label column mean: normal, anomaly, or not labelled.
//
// One rule for all verbs: a missing value is no label; 0, false, f, no, n, normal and inlier are normal; 1, true, t,
// yes, y, anomaly, anomalous, abnormal, outlier and fraud are anomalies, in any case of letters. Every other text (-1
// too, which some write for anomalies and some for normal rows) is an error that asks for --anomaly; with that, the
// named values are anomalies and all others normal. A plain value; it remembers a few of the labels it read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input.hpp"
#include "expose/detector/tune.hpp"
#include "expose/detector/verdict.hpp"

namespace expose::cli {

// --anomaly VALUE,..
void declare_anomaly(Arguments& arguments, std::vector<std::string>& anomaly);
// Throws CommandError unless a label column was named.
void require_label(const InputChoice& choice);

class LabelReader {
 public:
  explicit LabelReader(std::vector<std::string> anomaly) : anomaly_(std::move(anomaly)) {}
  // Throws Code::invalid_argument, without a place, for a text that is no label.
  Label read(std::string_view text) const;
  // Of all rows of the block that the input is at; those of bad rows are none. The complaint has column and row.
  void read(const Input& input, std::vector<Label>& labels);
  // Throws Code::invalid_argument, with the labels there are, if values for anomalies were named and none of them came.
  void require_anomaly() const;

 private:
  static constexpr std::size_t kMostNamed = 8;

  std::vector<std::string> anomaly_;
  std::vector<std::string> seen_;  // the first labels that differ, one more than are named
  bool came_ = false;              // one of anomaly_
};

// How verdicts and labels agree, over the rows that have both.
struct Agreement {
  double auc = 0.0;
  double average_precision = 0.0;
  double balanced_accuracy = 0.0;
  std::size_t true_positives = 0;  // flagged anomalies
  std::size_t false_positives = 0;
  std::size_t true_negatives = 0;
  std::size_t false_negatives = 0;
  std::size_t left_out = 0;  // rows without a label, or with a status other than ok

  std::size_t anomalies() const { return true_positives + false_negatives; }
  std::size_t normals() const { return true_negatives + false_positives; }
};
// Throws Code::invalid_argument unless there are rows of both classes. REQUIRES: as many labels as verdicts
Agreement agreement(std::span<const Verdict> verdicts, std::span<const Label> labels);

}  // namespace expose::cli

// Verdicts as users get them: chosen, with the ids of their rows and the reasons, written as csv, jsonl or a table.
//
// Columns: row (of the data, from 1, across files), id if there is one, similarity, p_value, anomalous (0 or 1),
// status, reason_1 ... as column=value (share).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/choices.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "expose/detector/verdict.hpp"

namespace expose::cli {

struct Reason {
  std::string column;
  std::string value;
  double share = 0.0;
};
// "amount=9999 (83 %)"
std::string shown(const Reason& reason);
// In brief; what says only "like nothing" is 0.
std::string shown_similarity(const Verdict& verdict);

struct JudgedRow {
  std::size_t row = 0;
  std::string id;
  Verdict verdict;
  std::vector<Reason> reasons;
};

// Shares of the columns in the unlikeness of rows, as Detector::explain and Watcher::explain give them.
using Explain = std::function<std::vector<double>(Records rows, std::span<const std::uint32_t> groups)>;

// Rows i of the block that the input is at, with their ids and the most important reasons, at most `most`.
std::vector<JudgedRow> described_in_block(const Input& input, std::span<const std::size_t> rows,
                                          std::span<const Verdict> verdicts, std::size_t most, const Explain& explain);

// The rows of a whole table, most anomalous first: the lowest p-values, then similarities, then earlier rows; only
// those with status ok.
std::vector<std::size_t> most_anomalous(std::span<const Verdict> verdicts, std::size_t most);
// Those rows, described, in the order given; reads the input once more. REQUIRES: rows are numbered from 0
std::vector<JudgedRow> described_in_table(Input& input, const std::vector<std::size_t>& rows,
                                          std::span<const Verdict> verdicts, std::size_t most, const Explain& explain);

// The line above the verdicts; jsonl has none.
std::string verdict_header(Format format, bool has_id, std::size_t reasons);

class VerdictWriter {
 public:
  // painter: makes flagged rows of a table red, where there are colours; must outlive this. with_header: false where
  // more verdicts come behind others.
  VerdictWriter(Output& output, Format format, bool has_id, std::size_t reasons, const Console* painter = nullptr,
                bool with_header = true);
  void write(const JudgedRow& row);

 private:
  void write_csv(const JudgedRow& row);
  void write_jsonl(const JudgedRow& row);
  void write_table(const JudgedRow& row);

  Output& output_;
  Format format_;
  bool has_id_;
  std::size_t reasons_;
  const Console* painter_;
};

// All verdicts of a table that was judged as a whole, as the choices have it. top: only so many, most anomalous first.
void write_verdicts(Input& input, std::span<const Verdict> verdicts, const OutputChoice& choice,
                    std::optional<std::size_t> top, bool terminal, const Explain& explain);

}  // namespace expose::cli

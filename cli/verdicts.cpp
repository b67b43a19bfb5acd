#include "cli/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/characters.hpp"
#include "cli/csv_field.hpp"
#include "cli/layout.hpp"
#include "expose/base/text.hpp"
#include "expose/calibrate/surprise.hpp"
#include "expose/detector/json.hpp"
#include "expose/encode/field.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kIdWidth = 20;
constexpr double kSmallestShare = 0.005;  // what would be shown as 0 % is no reason

// The columns that become numbers, and for each number the place of its column among them.
struct Groups {
  std::vector<std::size_t> columns;
  std::vector<std::uint32_t> of_numbers;
};

Groups groups_of(const Columns& columns) {
  Groups groups;
  for (const std::uint32_t c : columns.owners()) {
    if (groups.columns.empty() || groups.columns.back() != c) groups.columns.push_back(c);
    groups.of_numbers.push_back(static_cast<std::uint32_t>(groups.columns.size() - 1));
  }
  return groups;
}

std::vector<Reason> reasons_of(const Input& input, std::size_t i, const std::vector<std::size_t>& columns,
                               std::span<const double> shares, std::size_t most) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  std::vector<Reason> reasons;
  for (const std::size_t g : order) {
    if (reasons.size() == most || shares[g] < kSmallestShare) break;
    reasons.push_back({input.columns().all()[columns[g]].name, input.value(i, columns[g]), shares[g]});
  }
  return reasons;
}

bool is_shown(const Verdict& verdict, bool only_anomalies) { return !only_anomalies || verdict.anomalous; }

}  // namespace

std::string shown(const Reason& reason) {
  return reason.column + "=" + reason.value + " (" + percent(reason.share) + ")";
}

std::string shown_similarity(const Verdict& verdict) {
  return std::abs(verdict.similarity) < kSmallestSimilarity ? "0" : in_brief(verdict.similarity);
}

std::vector<JudgedRow> described_in_block(const Input& input, std::span<const std::size_t> rows,
                                          std::span<const Verdict> verdicts, std::size_t most, const Explain& explain) {
  std::vector<JudgedRow> judged;
  const std::size_t width = input.columns().width();
  std::vector<double> numbers;
  for (const std::size_t i : rows) {
    judged.push_back({input.row(i), as_utf8(input.id(i)), verdicts[i], {}});
    if (most > 0) numbers.insert(numbers.end(), input.block().numbers(i), input.block().numbers(i) + width);
  }
  if (most == 0 || rows.empty()) return judged;
  const Groups groups = groups_of(input.columns());
  const std::vector<double> shares = explain(Records(numbers, width), groups.of_numbers);
  const std::size_t n = groups.columns.size();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    judged[k].reasons = reasons_of(input, rows[k], groups.columns, std::span(shares).subspan(k * n, n), most);
  }
  return judged;
}

std::vector<std::size_t> most_anomalous(std::span<const Verdict> verdicts, std::size_t most) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].status == Status::ok) rows.push_back(i);
  }
  const std::size_t count = std::min(most, rows.size());
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(count), [&](std::size_t a, std::size_t b) {
    const Verdict &x = verdicts[a], &y = verdicts[b];
    if (x.p_value != y.p_value) return x.p_value < y.p_value;
    return x.similarity != y.similarity ? x.similarity < y.similarity : a < b;
  });
  rows.resize(count);
  return rows;
}

std::vector<JudgedRow> described_in_table(Input& input, const std::vector<std::size_t>& rows,
                                          std::span<const Verdict> verdicts, std::size_t most, const Explain& explain) {
  std::vector<std::size_t> by_row(rows.size());  // places in `rows`, in the order of the table
  std::iota(by_row.begin(), by_row.end(), std::size_t{0});
  std::ranges::sort(by_row, {}, [&](std::size_t k) { return rows[k]; });
  std::vector<JudgedRow> judged(rows.size());
  std::size_t next = 0;
  input.rewind();
  for (std::size_t begin = 0; next < by_row.size();) {
    const std::size_t n = input.next().n();
    if (n == 0) break;
    std::vector<std::size_t> here;
    const std::size_t first = next;
    while (next < by_row.size() && rows[by_row[next]] < begin + n) here.push_back(rows[by_row[next++]] - begin);
    std::vector<JudgedRow> some = described_in_block(input, here, verdicts.subspan(begin), most, explain);
    for (std::size_t k = 0; k < some.size(); ++k) judged[by_row[first + k]] = std::move(some[k]);
    begin += n;
  }
  return judged;
}

std::string verdict_header(Format format, bool has_id, std::size_t reasons) {
  if (format == Format::jsonl) return "";
  if (format == Format::csv) {
    std::string header =
        has_id ? "row,id,similarity,p_value,anomalous,status" : "row,similarity,p_value,anomalous,status";
    for (std::size_t k = 1; k <= reasons; ++k) header += ",reason_" + std::to_string(k);
    return header + "\n";
  }
  return right("row", 8) + (has_id ? "  " + padded("id", kIdWidth) : "") + right("similarity", 12) +
         right("p_value", 10) + "  anomalous  status" + (reasons > 0 ? "    because of" : "") + "\n";
}

VerdictWriter::VerdictWriter(Output& output, Format format, bool has_id, std::size_t reasons, const Console* painter,
                             bool with_header)
    : output_(output), format_(format), has_id_(has_id), reasons_(reasons), painter_(painter) {
  if (with_header) output.write(verdict_header(format, has_id, reasons));
}

void VerdictWriter::write(const JudgedRow& row) {
  if (format_ == Format::csv) return write_csv(row);
  if (format_ == Format::jsonl) return write_jsonl(row);
  write_table(row);
}

void VerdictWriter::write_csv(const JudgedRow& row) {
  std::string line = std::to_string(row.row);
  if (has_id_) line += "," + csv_field(row.id);
  line += "," + text(row.verdict.similarity) + "," + text(row.verdict.p_value) +
          (row.verdict.anomalous ? ",1," : ",0,") + name(row.verdict.status);
  for (std::size_t k = 0; k < reasons_; ++k) {
    line += "," + (k < row.reasons.size() ? csv_field(shown(row.reasons[k])) : std::string());
  }
  output_.write(line + "\n");
}

void VerdictWriter::write_jsonl(const JudgedRow& row) {
  Json json;
  json.count("row", row.row);
  if (has_id_) json.text("id", row.id);
  json.number("similarity", row.verdict.similarity)
      .number("p_value", row.verdict.p_value)
      .count("anomalous", row.verdict.anomalous ? 1 : 0)
      .text("status", name(row.verdict.status));
  for (std::size_t k = 0; k < row.reasons.size(); ++k)
    json.text("reason_" + std::to_string(k + 1), shown(row.reasons[k]));
  output_.write(json.line() + "\n");
}

void VerdictWriter::write_table(const JudgedRow& row) {
  std::string line = right(std::to_string(row.row), 8);
  if (has_id_) line += "  " + padded(cut(harmless_cell(row.id), kIdWidth), kIdWidth);
  line += right(shown_similarity(row.verdict), 12) + right(in_brief(row.verdict.p_value), 10) + "  " +
          padded(row.verdict.anomalous ? "yes" : "no", 11) + padded(name(row.verdict.status), 8);
  for (std::size_t k = 0; k < row.reasons.size(); ++k)
    line += (k == 0 ? "  " : ", ") + harmless_cell(shown(row.reasons[k]));
  output_.write((painter_ != nullptr && row.verdict.anomalous ? painter_->red(line) : line) + "\n");
}

void write_verdicts(Input& input, std::span<const Verdict> verdicts, const OutputChoice& choice,
                    std::optional<std::size_t> top, bool terminal, const Explain& explain) {
  Output output(choice.path);
  VerdictWriter writer(output, format_of(choice, terminal), input.has_id(), choice.reasons);
  if (top) {
    const std::vector<std::size_t> rows = most_anomalous(verdicts, *top);
    for (const JudgedRow& row : described_in_table(input, rows, verdicts, choice.reasons, explain)) writer.write(row);
    return output.close();
  }
  if (choice.reasons == 0 && !input.has_id()) {  // the rows have nothing to say
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (is_shown(verdicts[i], choice.only_anomalies)) writer.write({i + 1, "", verdicts[i], {}});
    }
    return output.close();
  }
  input.rewind();
  for (std::size_t begin = 0; begin < verdicts.size();) {
    const std::size_t n = input.next().n();
    if (n == 0) break;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i) {
      if (is_shown(verdicts[begin + i], choice.only_anomalies)) rows.push_back(i);
    }
    for (const JudgedRow& row : described_in_block(input, rows, verdicts.subspan(begin), choice.reasons, explain))
      writer.write(row);
    begin += n;
  }
  output.close();
}

}  // namespace expose::cli

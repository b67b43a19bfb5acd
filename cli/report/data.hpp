// ReportData: what a report page shows, as plain data; nothing in it is trusted to be short or harmless text.
//
// Whoever fills it decides which rows are explained and which are drawn; the page cuts what would make it too large.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "expose/calibrate/threshold.hpp"
#include "expose/detector/verdict.hpp"
#include "expose/explain/picture.hpp"

namespace expose::cli {

struct ReportShare {  // a column and its share in something
  std::string column = {};
  std::string value = {};  // of a row; empty: none
  double share = 0.0;
};

struct ReportRow {
  std::size_t row = 0;  // counted from 1
  std::string id = {};
  std::string label = {};
  Verdict verdict = {};
  std::vector<ReportShare> reasons = {};  // largest first
};

struct ReportPoint {
  std::size_t row = 0;  // counted from 1
  Picture::Point at = {};
  Verdict verdict = {};
};

struct ReportPicture {
  std::vector<ReportPoint> points = {};
  std::array<double, 2> variance = {};  // the share that each axis shows
};

struct ReportTime {
  std::string column = {};
  std::vector<double> seconds = {};  // since 1970, one a verdict; NaN: unknown
};

struct ReportDrift {  // of the last rows from the first
  std::size_t first_rows = 0;
  std::size_t last_rows = 0;
  double mmd = 0.0;
  double p_value = 1.0;
  std::vector<ReportShare> columns = {};  // largest share first
};

struct ReportColumn {
  std::string name = {};
  std::string role = {};
  std::string note = {};
};

struct ReportData {
  std::string version = {};
  std::string command = {};
  std::vector<std::string> files = {};
  std::vector<Verdict> verdicts = {};  // one a row, in the order of the data
  Threshold threshold = Alpha{};
  std::vector<std::string> notes = {};  // sentences that a reader must not miss
  std::string id_column = {};           // empty: there is none
  std::string label_column = {};
  std::optional<double> auc = {};   // against the labels; nothing: not known
  std::vector<ReportRow> top = {};  // most anomalous first
  std::optional<ReportPicture> picture = {};
  std::optional<ReportTime> time = {};
  std::optional<ReportDrift> drift = {};
  std::size_t bad_rows = 0;
  std::vector<std::string> bad = {};  // a sentence for each of the first of them
  std::string plan = {};              // Plan::description
  std::vector<ReportColumn> columns = {};
  std::vector<std::string> column_notes = {};
};

}  // namespace expose::cli

// What a report page shows of a table, gathered from its rows: one more pass after they were judged.
#pragma once

#include "cli/input.hpp"
#include "cli/report/data.hpp"
#include "expose/detector/detector.hpp"

namespace expose::cli {

// REQUIRES: the verdicts are those of the input's rows
ReportData gather_report(Input& input, const Detection& found, const std::vector<std::string>& anomaly,
                         Console& console);

}  // namespace expose::cli

// The sections of a report page, each a whole <section>, or nothing where the data has none. Pure functions.
#pragma once

#include <string>

#include "cli/report/data.hpp"

namespace expose::cli {

std::string summary_section(const ReportData& data);  // title, what was found, figures
std::string similarity_section(const ReportData& data);
std::string rows_section(const ReportData& data);
std::string picture_section(const ReportData& data);
std::string time_section(const ReportData& data);
std::string drift_section(const ReportData& data);
std::string bad_section(const ReportData& data);
std::string plan_section(const ReportData& data);
std::string columns_section(const ReportData& data);
std::string command_section(const ReportData& data);

// The rows that the page has of data.top.
std::size_t rows_shown(const ReportData& data);

}  // namespace expose::cli

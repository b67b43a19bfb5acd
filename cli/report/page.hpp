// report_page: one HTML file that shows what was found, why, and how.
//
// It needs no script, no font and no other file: its own policy forbids the browser to load or run anything, whatever
// stands in the data. Readable in light and dark, on paper and on small screens, and below 1 MB for any table.
// The same data gives the same bytes. A pure function.
#pragma once

#include <string>

#include "cli/report/data.hpp"

namespace expose::cli {

inline constexpr std::size_t kMostTopRows = 50;  // that the page has, with kMostReasons each
inline constexpr std::size_t kMostReasons = 5;
inline constexpr std::size_t kMostColumns = 500;  // listed, of the columns of the data
inline constexpr std::size_t kMostBadRows = 20;

std::string report_page(const ReportData& data);

}  // namespace expose::cli

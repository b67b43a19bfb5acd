// The drawings of a report page, as SVG inside a <figure>: similarities, picture, time.
//
// Sizes are bounded however many rows there are, and no number in them is NaN or infinite. Colours come from the
// classes of report_style.hpp. An empty string where there is nothing to draw. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/report/data.hpp"

namespace expose::cli {

inline constexpr std::size_t kMostPoints = 3000;  // that a drawing has
inline constexpr std::size_t kShades = 6;         // of similarity, class s0 (most alike) to s5

// At most `most` rows worth a point, ascending: all flagged ones if they are no more than half of that, and others
// evenly spaced. Rows that were not judged are left out.
std::vector<std::size_t> rows_to_draw(std::span<const Verdict> verdicts, std::size_t most = kMostPoints);

// Between the flagged rows and the others: the similarity in the middle. Nothing unless there are both, and the flagged
// ones are the less similar.
std::optional<double> similarity_between(std::span<const Verdict> verdicts);

// How many rows have which similarity.
std::string similarity_chart(std::span<const Verdict> verdicts);
// The rows whose points a picture shows, ascending.
std::vector<std::size_t> rows_drawn(const ReportPicture& picture);
// Where the rows stand, each shaded by its similarity. Points of `linked` rows can be jumped to: id="p" and the row.
std::string picture_chart(const ReportPicture& picture, std::span<const Verdict> verdicts,
                          std::span<const std::size_t> linked);
// p-values over time: the lowest of each stretch of time.
std::string time_chart(const ReportTime& time, std::span<const Verdict> verdicts, const Threshold& threshold);

}  // namespace expose::cli

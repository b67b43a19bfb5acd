// What `detect` shows on a terminal: what it understood of the file, the plan, the most anomalous rows with reasons,
// the distribution of similarities, how many are flagged, and what one would type next.
#pragma once

#include <optional>

#include "cli/console.hpp"
#include "cli/input.hpp"
#include "cli/verdicts.hpp"
#include "expose/detector/detector.hpp"

namespace expose::cli {

// To standard output. top, reasons: as many as were asked for; a few if nothing was said.
void show_detection(Input& input, const Detection& found, std::optional<std::size_t> top, std::size_t reasons,
                    const Explain& explain, const Console& console);

// "683 rows; 9 numbers (clump_thickness, cell_size, ...); label 'label' set aside"
std::string understood(const Columns& columns);

// Bars of how many similarities lie where, the flagged ones in red.
std::string histogram(std::span<const Verdict> verdicts, const Console& console);

}  // namespace expose::cli

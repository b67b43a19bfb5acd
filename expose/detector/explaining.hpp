// What Detector::explain and Watcher::explain share: the reasons of rows, in the columns that come in.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expose/base/pool.hpp"
#include "expose/detector/plan.hpp"
#include "expose/explain/reasons.hpp"

namespace expose {

// The reasons of a model, for groups of the columns that stayed.
using ReasonsOf = std::function<Reasons(std::vector<std::uint32_t> groups)>;

// The number of shares a row has. Throws Code::shape_mismatch unless there is a group for each of the columns (or
// none), Code::invalid_argument for a group beyond the number of columns.
std::size_t shares_a_row(std::size_t columns, std::span<const std::uint32_t> groups);

// As Detector::explain says. REQUIRES: rows of the plan's width
std::vector<double> explain_rows(const Plan& plan, const ReasonsOf& reasons_of, Records rows,
                                 std::span<const std::uint32_t> groups, Pool* pool);

}  // namespace expose

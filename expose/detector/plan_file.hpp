// A plan as bytes, for the files of detectors and watchers; and a mean as bytes, which both have.
//
// Frequencies of random maps are not among them: they are drawn again from the recipe (law 2). A file is hostile
// (law 6): every number is checked before anything is made of it, and a small file cannot ask for a large map.
// Pure functions; any number of threads may call them.
#pragma once

#include "expose/base/bytes.hpp"
#include "expose/detector/json.hpp"
#include "expose/detector/plan.hpp"

namespace expose {

// REQUIRES: after the plan the file has a mean of its map, or as many bytes: 8 a feature. Reading relies on it.
// version: that of the file, version_of(plan) or later. Throws Code::overflow for a map that is too large for a file:
// see require_modest in the source.
void write_plan(Writer& writer, const Plan& plan, std::uint32_t version);
// Throws Code::corrupt (or what the parts throw; read_body makes Code::corrupt of that) for bytes that are no plan, and
// for a plan with another fingerprint than the file says.
Plan read_plan(Reader& reader, std::uint32_t version);

// The same without the fingerprint, which stands before them, 8 bytes.
Plan::Parts read_parts(Reader& reader, std::uint32_t version);

void write_mean(Writer& writer, const MeanMap::State& state);
// Throws Code::corrupt unless there are so many sums.
MeanMap::State read_mean(Reader& reader, std::size_t features);

// The first version that has room for the plan.
std::uint32_t version_of(const Plan& plan);

// The plan for the header of a file; and the columns of a table, one by one.
Json describe(const Plan& plan);
std::vector<Json> describe(const Columns& table);

}  // namespace expose

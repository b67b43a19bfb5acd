// The values of an Arrow array as numbers and texts. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace arrow {
class Array;
class DataType;
}  // namespace arrow

namespace expose::io {

// Whether values of this type are numbers: integers, floats, booleans, durations.
bool is_number(const arrow::DataType& type);

// Value i to into[i * stride]; null is NaN. REQUIRES: is_number(its type)
void read_numbers(const arrow::Array& array, double* into, std::size_t stride);

// The text of a value, in the array or in the scratch; null is empty. Lists are [1,"a",null], times
// 2026-11-15T17:50:14.
std::string_view text_at(const arrow::Array& array, std::int64_t i, std::string& scratch);

}  // namespace expose::io

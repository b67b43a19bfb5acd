// nearest: which of some names was probably meant, for sentences about a name that is not there.
//
// Pure functions; any number of threads may call them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace expose {

// The name with the fewest letters to insert, delete or exchange, case apart (the first of several); empty where there
// are no names, or none that shares half of its letters.
std::string nearest(std::string_view wanted, std::span<const std::string> names);

// "; did you mean 'amount'?", or nothing.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names);

// Columns without names are called column_1, column_2 and so on. column: counted from 0
std::string column_without_name(std::size_t column);
// "there is no column 'amout' among the 3 there are; did you mean 'amount'?", or that these seem to have no names.
std::string no_column(std::string_view wanted, std::span<const std::string> names);

}  // namespace expose

// nearest: which of some names was probably meant, for sentences about a name that is not there.
//
// A pure function; any number of threads may call it.
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

}  // namespace expose

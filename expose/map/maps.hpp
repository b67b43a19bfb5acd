// The concrete maps, each behind one function. Users call make_map (feature_map.hpp); these expect a recipe that it
// has checked.
#pragma once

#include "expose/base/bytes.hpp"
#include "expose/map/feature_map.hpp"

namespace expose {

SharedMap make_random_fourier(const Recipe& recipe);  // Rahimi & Recht 2007, in the (cos, sin) form
SharedMap make_structured(Recipe recipe);             // SORF: Yu et al. 2016; Fastfood: Le et al. 2013
SharedMap make_nystrom(const Recipe& recipe);         // Williams & Seeger 2001
SharedMap make_given(const Recipe& recipe);           // the same for a kernel that only the caller knows
SharedMap make_isolation(const Recipe& recipe);       // Ting et al. 2018 and 2020

// A recipe as bytes: what its fingerprint is the hash of, and what a model file stores.
void write_recipe(Writer& writer, const Recipe& recipe);

// The streams of random numbers that a seed has: one for each frequency or block, so that a map of larger r begins
// with the frequencies of the smaller one.
enum class Stream : std::uint64_t { frequency = 1, block = 2 };
inline std::uint64_t stream(Stream purpose, std::size_t index) {
  return (static_cast<std::uint64_t>(purpose) << 56) + index;
}

}  // namespace expose

// Options: everything a user may choose, with the names and defaults that the command line and Python share.
//
// What is left open (std::nullopt, a kernel without bandwidth) is decided from the data when a plan is made.
// Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "expose/calibrate/threshold.hpp"
#include "expose/encode/columns.hpp"
#include "expose/map/feature_map.hpp"
#include "expose/mean/memory.hpp"
#include "expose/scale/scaler.hpp"

namespace expose {

// balanced: as measured on many tables. paper: as published: no scaling, no gate, Nystrom with 1000 landmarks for
// everything, dense Fourier features with 20,000 frequencies for window and fading.
enum class Preset : std::uint8_t { balanced, paper };

EXPOSE_API std::string name(Preset preset);
EXPOSE_API Preset preset_named(const std::string& name);

// A value that is not there (NaN): integrated out, as N(m, v) of its column, where the map has a closed form for it; or
// its row is rejected. docs/missing.md
enum class Missing : std::uint8_t { integrate, reject };

EXPOSE_API std::string name(Missing missing);
EXPOSE_API Missing missing_named(const std::string& name);

struct Options {
  Kernel kernel = Gaussian{};
  std::optional<double> bandwidth = {};  // in scaled units; open: 0.354 x the median distance
  std::optional<MapKind> map = {};       // open: nystrom for everything; else fourier below 16 columns, sorf from there
  // Landmarks or frequencies; open: 256 for nystrom, 512 for isolation, 2048 otherwise.
  std::optional<std::size_t> r = {};
  std::optional<Scale> scale = {};  // open: robust
  Memory memory = Everything{};
  std::optional<double> trim = {};  // share of the sample outside the gate; open: 0.2 for everything, else 0
  Missing missing = Missing::integrate;
  double alpha = 0.01;                       // flag a row when p_value <= alpha; or instead, over a batch of rows:
  std::optional<double> fdr = {};            //   by false discovery rate
  std::optional<double> contamination = {};  //   by share
  std::optional<std::size_t> top = {};       //   by count
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // 0: all cores
  Preset preset = Preset::balanced;
  std::optional<Columns> table = {};  // what the numbers of a row come from; open: numbers without names
  bool operator==(const Options&) const = default;
};

// The map that is given, or else chosen, for d columns that vary.
MapKind map_of(const Options& options, std::size_t d);

// How rows are flagged. Throws Code::invalid_argument if more than one of fdr, contamination and top is given.
EXPOSE_API Threshold threshold_of(const Options& options);

// Throws Code::invalid_argument, naming the value, for what no plan can be made of.
EXPOSE_API void require_valid(const Options& options);

}  // namespace expose

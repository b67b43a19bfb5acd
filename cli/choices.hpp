// What can be said on the command line about the data, the plan, the threshold and the output, for all verbs alike.
//
// Each declare_ function adds its options to a verb; the choices must outlive the parsing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "expose/detector/options.hpp"
#include "expose/encode/guess.hpp"

namespace expose::cli {

struct InputChoice {
  std::vector<std::string> files;
  ColumnChoice columns;
  std::optional<char> delimiter;
  std::optional<bool> header;
  std::string rejects;
  bool strict = false;
  std::size_t threads = 0;
};
// The files, the roles of their columns, and what becomes of bad rows.
void declare_input(Arguments& arguments, InputChoice& choice);
// The same without the files.
void declare_reading(Arguments& arguments, InputChoice& choice);

// Everything that is decided before learning. Afterwards the options are valid.
// said: gets the long names of the options that were given, with a default as their value too.
using Said = std::vector<std::string>;
void declare_plan(Arguments& arguments, Options& options, Said* said = nullptr);
// Throws CommandError if something was said about the plan: `instead` has one.
void require_no_plan(const Said& said, const std::string& instead);

// alpha, fdr, contamination; with_top: and top.
struct ThresholdChoice {
  std::optional<double> alpha = {};
  std::optional<double> fdr = {};
  std::optional<double> contamination = {};
  std::optional<std::size_t> top = {};
};
void declare_threshold(Arguments& arguments, ThresholdChoice& choice);
// Nothing where nothing was said. Throws CommandError for more than one, or a value out of its range.
std::optional<Threshold> threshold_of(const ThresholdChoice& choice);
// The options with the threshold in them. Throws CommandError for what no plan can be made of.
Options with(Options options, const ThresholdChoice& choice, std::size_t threads);

enum class Format { csv, jsonl, table };
struct OutputChoice {
  std::string path = {};
  std::optional<Format> format = {};
  bool only_anomalies = false;
  std::size_t reasons = 0;
};
void declare_output(Arguments& arguments, OutputChoice& choice);
// What was said; else by the name of the file; else a table on a terminal and csv elsewhere.
Format format_of(const OutputChoice& choice, bool terminal);
inline bool to_standard_output(const OutputChoice& choice) { return choice.path.empty() || choice.path == "-"; }

// -m, required.
void declare_model(Arguments& arguments, std::string& path);
// --json: the answer as one JSON object.
void declare_json(Arguments& arguments, bool& json);

}  // namespace expose::cli

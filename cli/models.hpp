// What verbs do with models: explain by them, update them, say what they are.
#pragma once

#include <functional>
#include <string>

#include "cli/console.hpp"
#include "cli/input.hpp"
#include "cli/verdicts.hpp"
#include "expose/detector/detector.hpp"

namespace expose::cli {

// REQUIRES: the detector outlives it
Explain explain_with(const Detector& detector);

// Loads the model, lets `change` change it, and saves it, to `output` if that is not empty. Nobody else updates the
// same file in between: whoever comes second waits, and is told so. Throws as load and save do.
void update_model(const std::string& path, const std::string& output, std::size_t threads, Console& console,
                  const std::function<void(Detector&)>& change);

// "p <= 0.01", "a false discovery rate of 0.1", "a share of 0.05", "the top 20"
std::string in_words(const Threshold& threshold);
// "14 of 683 rows are flagged (p <= 0.01)"
std::string flagged_sentence(std::size_t flagged, std::size_t rows, const Threshold& threshold);
std::string flagged_sentence(std::span<const Verdict> verdicts, const Threshold& threshold);
// Warns where no row at all can be flagged: so many normal rows are as unlike as can be that the lowest p-value is
// above alpha.
void warn_if_nothing_can_be_flagged(const Detector& detector, Console& console);
// What to say where Detection::much_looks_anomalous.
std::string much_is_anomalous();

}  // namespace expose::cli

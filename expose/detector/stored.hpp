// The rows that a detector still has: its calibration sample and its frequent rows, as a draw of all rows it has seen.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expose/detector/detector.hpp"

namespace expose {

// Distinct rows, scaled, and for how many of all rows each stands. Frequent rows have their exact counts; the others, a
// draw of the distinct rows, stand together for all the rest.
struct StoredRows {
  std::vector<float> rows;
  std::vector<double> copies;   // of this row itself, in the model
  std::vector<double> weights;  // rows that it stands for; together `weight`
  double known = 0.0;           // how many rows they are worth: no more than are there, and than they stand for
  std::size_t d = 0;

  Rows view() const { return Rows(std::span<const float>(rows), d); }
};
StoredRows stored_rows(const Detector::State& state, std::size_t d);

// Which to take for `wanted` of all rows, a row as often as its weight makes it: evenly spaced in the order of their
// hashes, so a uniform draw. None where nothing has a weight.
std::vector<std::size_t> draw(const std::vector<double>& weights, std::size_t wanted);
std::vector<float> draw_rows(const StoredRows& stored, std::size_t wanted);

// How many rows to draw: what they are worth, at most `most`.
std::size_t worth(const StoredRows& stored, std::size_t most);

// Which of these are landmarks of the plan. A landmark is more like itself than any other row can be, and a model of
// landmarks knows a landmark better than any other row: whoever compares rows learned with new ones leaves them out.
std::vector<char> are_landmarks(const Plan& plan, Rows scaled);

}  // namespace expose

// Verdict: what a detector says about a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "expose/base/api.hpp"
#include "expose/calibrate/threshold.hpp"

namespace expose {

enum class Status : std::uint8_t {
  ok,
  learning,  // too few rows so far to name a p-value
  unknown,   // every value is missing
  rejected,  // a bad row: a value that is not a finite number
};

EXPOSE_API std::string name(Status status);

struct Verdict {
  double similarity = 0.0;  // high = normal; for streams relative to |w|^2. 0 if unknown, rejected or without a plan
  double p_value = 1.0;     // share of normal rows at least this unlike; 1 unless the status is ok
  bool anomalous = false;   // false unless the status is ok
  Status status = Status::ok;
  bool operator==(const Verdict&) const = default;
};

// Flags the verdicts that are ok as one batch, as a detector does with the rows it judges, and no others: for those who
// judge in blocks. Throws Code::invalid_argument for a threshold that cannot be.
EXPOSE_API void set_flags(std::vector<Verdict>& verdicts, const Threshold& threshold);

// What a detector says about a set of rows.
struct GroupVerdict {
  double similarity = 0.0;  // the mean of its rows': that of their mean map. 0 without a good row
  double p_value = 1.0;     // share of groups of as many normal rows at least this unlike; 1 unless the status is ok
  std::size_t rows = 0;     // good ones
  Status status = Status::rejected;  // rejected: no good row
  bool operator==(const GroupVerdict&) const = default;
};

}  // namespace expose

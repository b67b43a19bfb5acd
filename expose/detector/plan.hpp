// Plan: all that is decided before the first row is learned: columns, scaler, kernel with its bandwidth, map with its
// landmarks, memory, gate. Decided on a sample that depends on the rows and the seed, not on their order or partition.
//
// Frozen and hashed: models merge only if their plans have the same fingerprint. Cheap to copy, immutable; any number
// of threads may share one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expose/base/records.hpp"
#include "expose/detector/gate.hpp"
#include "expose/detector/missing.hpp"
#include "expose/detector/options.hpp"
#include "expose/mean/mean_map.hpp"

namespace expose {

class EXPOSE_API Plan {
 public:
  // What a plan consists of; what a model file stores.
  struct Parts {
    Scaler scaler;
    SharedMap map;
    Memory memory;
    std::optional<Gate> gate;
    double trim = 0.0;
    std::uint64_t seed = 0;
    std::vector<std::uint64_t> frequent;  // hashes of the rows that the calibration sample never loses, ascending
    std::int64_t planned_on = 0;          // rows that the sample was drawn from
    bool first_rows_only = false;         // the data could be read only once: planned on its first rows
    std::optional<Unknown> unknown = {};  // what stands for missing values; without it their rows are rejected
    std::optional<Columns> table = {};    // what the numbers of a row come from; without it they have no names
  };
  // Throws Code::incompatible if the parts do not fit together.
  explicit Plan(Parts parts);

  // Columns that come in; those that vary stay (d() of them).
  std::size_t columns() const { return parts().scaler.inputs(); }
  std::size_t d() const { return parts().scaler.d(); }
  const Scaler& scaler() const { return parts().scaler; }
  const SharedMap& map() const { return parts().map; }
  const Kernel& kernel() const { return parts().map->kernel(); }
  Missing missing() const { return parts().unknown ? Missing::integrate : Missing::reject; }
  const Memory& memory() const { return parts().memory; }
  const std::optional<Columns>& table() const { return parts().table; }
  const Parts& parts() const { return content_->parts; }
  // Which rows enter a model, from their similarity to the gate; nobody stands there if there is no gate.
  const std::optional<Gatekeeper>& gatekeeper() const { return content_->gatekeeper; }
  bool admits(double gate_similarity) const { return !parts().gate || gate_similarity >= parts().gate->threshold; }

  std::uint64_t fingerprint() const { return content_->fingerprint; }
  // For people: one line, and a few.
  std::string summary() const;
  std::string description() const;

 private:
  struct Content {
    Parts parts;
    std::optional<Gatekeeper> gatekeeper;
    std::uint64_t fingerprint = 0;
  };
  std::shared_ptr<const Content> content_;
};

// Throws Code::incompatible, naming both fingerprints, unless the plans are equal.
EXPOSE_API void require_same_plan(const Plan& a, const Plan& b);

// Makes the plan of some rows. weights: one a row, whole or rounded to 1/1024; whole weights equal repetition, to the
// bit. Bad rows are left out: infinity, and NaN where missing values are rejected. Throws Code::invalid_argument if no
// row is left, Code::shape_mismatch if the table of the options has another width.
EXPOSE_API Plan plan(Records rows, const Options& options = {}, std::span<const double> weights = {});

// A plan for a kernel that only the caller knows, seen from r landmarks (MapKind::given): kernel, r x r, has its values
// among the landmarks, and a row is its r values with them, k(x, x) = 1. So are all rows that the model then learns and
// judges. Of the options kernel, bandwidth, map, r, scale and missing mean nothing here. planned_on: how many rows
// these stand for. Throws Code::invalid_argument for a matrix that no such kernel has.
EXPOSE_API Plan plan_given(Records kernel, Records rows, const Options& options, std::int64_t planned_on);

// The same for rows that are hashed already, by hash_good_rows with the seed of the options, which are valid.
Plan plan_from_hashes(Records rows, std::span<const std::uint64_t> hashes, const Options& options,
                      std::span<const double> weights);

// The same from a sample, in the order of its hashes (Sampler gives it), for those who drew one.
Plan plan_from_sample(Records sample, const Options& options, std::int64_t planned_on, bool first_rows_only = false);

}  // namespace expose

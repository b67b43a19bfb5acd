#include "expose/detector/options.hpp"

#include <cmath>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"

namespace expose {

std::string name(Preset preset) { return preset == Preset::balanced ? "balanced" : "paper"; }

Preset preset_named(const std::string& name) {
  for (const Preset preset : {Preset::balanced, Preset::paper}) {
    if (expose::name(preset) == name) return preset;
  }
  throw Error(Code::invalid_argument, "there is no preset '" + name + "'; it may be balanced or paper");
}

std::string name(Missing missing) { return missing == Missing::integrate ? "integrate" : "reject"; }

Missing missing_named(const std::string& name) {
  for (const Missing missing : {Missing::integrate, Missing::reject}) {
    if (expose::name(missing) == name) return missing;
  }
  throw Error(Code::invalid_argument,
              "missing values cannot be treated by '" + name + "'; it may be integrate or reject");
}

MapKind map_of(const Options& options, std::size_t d) {
  if (options.map) return *options.map;
  if (std::holds_alternative<Everything>(options.memory)) return MapKind::nystrom;
  const bool dense = d < 16 || options.preset == Preset::paper || !rotation_invariant(options.kernel);
  return dense ? MapKind::fourier : MapKind::sorf;
}

Threshold threshold_of(const Options& options) {
  const int given = static_cast<int>(options.fdr.has_value()) + static_cast<int>(options.contamination.has_value()) +
                    static_cast<int>(options.top.has_value());
  if (given > 1) {
    throw Error(Code::invalid_argument, "rows are flagged by one of fdr, contamination and top; " +
                                            std::to_string(given) + " of them are given");
  }
  Threshold threshold = Alpha{options.alpha};
  if (options.fdr) threshold = Fdr{*options.fdr};
  if (options.contamination) threshold = Contamination{*options.contamination};
  if (options.top) threshold = Top{*options.top};
  require_valid(threshold);
  return threshold;
}

void require_valid(const Options& options) {
  threshold_of(options);
  require_valid(options.memory);
  if (options.trim && !(*options.trim >= 0 && *options.trim < 1)) {
    throw Error(Code::invalid_argument, "trim is a share from 0 to below 1, it is " + text(*options.trim));
  }
  if (options.map == MapKind::given) {
    throw Error(Code::invalid_argument, "a plan for a given kernel is made from its matrix: plan_given");
  }
  const double own = bandwidth(options.kernel);  // 0: open
  if (own != 0) require_valid(options.kernel);
  if (options.bandwidth) require_valid(kernel_named(name(options.kernel), *options.bandwidth));
  if (options.bandwidth && own != 0 && own != *options.bandwidth) {
    throw Error(Code::invalid_argument, "the kernel has the bandwidth " + text(own) + ", the option bandwidth is " +
                                            text(*options.bandwidth) + "; give one of them");
  }
  if (options.table && options.table->width() == 0) {
    throw Error(Code::invalid_argument, "the table has no column that becomes a number");
  }
  if (options.r && *options.r == 0) throw Error(Code::invalid_argument, "r must be at least 1, it is 0");
}

}  // namespace expose

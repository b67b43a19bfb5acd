#include "expose/simd/target.hpp"

#include <cstdlib>

#include "expose/simd/config.hpp"  // before Highway: it says which targets there are

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "expose/base/error.hpp"

namespace expose::simd {

namespace {

// The compiled targets that this CPU has; lower bits are better targets.
std::int64_t available() { return hwy::SupportedTargets() & HWY_TARGETS; }

std::vector<std::int64_t> bits_of(std::int64_t mask) {
  std::vector<std::int64_t> bits;
  for (; mask != 0; mask &= mask - 1) bits.push_back(mask & -mask);
  return bits;
}

// What the CPU itself can do, whatever was forced before.
std::vector<std::int64_t> all_bits() {
  static const std::vector<std::int64_t> bits = bits_of(available());
  return bits;
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const std::int64_t bit : all_bits()) names.emplace_back(hwy::TargetName(bit));
  return names;
}

std::string target() {
  all_bits();
  return hwy::TargetName(bits_of(available()).front());
}

void force_target(const std::string& name) {
  std::string known;
  for (const std::int64_t bit : all_bits()) {
    if (name == hwy::TargetName(bit)) {
      hwy::SetSupportedTargetsForTest(bit);
      hwy::GetChosenTarget().Update(bit);
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(hwy::TargetName(bit));
  }
  throw Error(Code::not_found, "this CPU has no target '" + name + "'; EXPOSE_TARGET may be one of " + known);
}

void obey_environment() {
  static const bool once = [] {
    const char* forced = std::getenv("EXPOSE_TARGET");
    if (forced != nullptr && *forced != '\0') force_target(forced);
    return true;
  }();
  (void)once;
}

}  // namespace expose::simd

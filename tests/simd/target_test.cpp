#include "expose/simd/target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/complaint.hpp"
#include "tests/support/targets.hpp"

namespace expose::simd {
namespace {

TEST(Target, TheOneInUseIsOneOfThoseThereAre) {
  const auto all = targets();
  ASSERT_FALSE(all.empty());
  EXPECT_NE(std::find(all.begin(), all.end(), target()), all.end());
}

// Law 1 says "every CPU": at least one target here must be without fused multiply-add, and one with it.
TEST(Target, SomeLackFusedMultiplyAdd) {
#if defined(__x86_64__)
  const auto all = targets();
  EXPECT_EQ(all.back(), "SCALAR");
  EXPECT_NE(all.front(), "SCALAR");
#endif
}

TEST(Target, ForcingIsSeenAndKeepsTheList) {
  const auto all = targets();
  on_every_target([&](const std::string& forced) {
    EXPECT_EQ(target(), forced);
    EXPECT_EQ(targets(), all);
  });
}

TEST(Target, AnUnknownNameIsRefusedWithThoseThereAre) {
  const std::string before = target();
  const std::string sentence = complaint([] { force_target("MMX"); });
  EXPECT_EQ(sentence.find("not_found: this CPU has no target 'MMX'; EXPOSE_TARGET may be one of "), 0U) << sentence;
  for (const std::string& known : targets()) EXPECT_NE(sentence.find(known), std::string::npos) << sentence;
  EXPECT_EQ(target(), before);
}

}  // namespace
}  // namespace expose::simd

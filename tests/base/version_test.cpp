#include "expose/base/version.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace expose {
namespace {

TEST(Version, HasThreeNumbers) { EXPECT_TRUE(std::regex_match(version(), std::regex("\\d+\\.\\d+\\.\\d+"))); }

}  // namespace
}  // namespace expose

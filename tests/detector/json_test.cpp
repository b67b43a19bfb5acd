#include "expose/detector/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace expose {
namespace {

TEST(Json, OneMemberALine) {
  Json inner;
  inner.number("x", 0.1).counts("none", {}).counts("some", std::vector<std::uint32_t>{1, 20});
  Json json;
  json.text("word", "a").count("seed", std::numeric_limits<std::uint64_t>::max()).truth("yes", true);
  json.object("inner", inner).object("empty", Json());
  EXPECT_EQ(json.str(), R"({
  "word": "a",
  "seed": 18446744073709551615,
  "yes": true,
  "inner": {
    "x": 0.1,
    "none": [],
    "some": [1, 20]
  },
  "empty": {}
})");
}

TEST(Json, ListsObjectsOneALine) {
  const std::vector<Json> some = {Json().text("name", "a { \n }").count("n", 1),
                                  Json().object("inner", Json().truth("yes", true)), Json()};
  EXPECT_EQ(Json().objects("some", some).objects("none", {}).str(), R"({
  "some": [
    {"name": "a { \u000a }", "n": 1},
    {"inner": {"yes": true}},
    {}
  ],
  "none": []
})");
}

TEST(Json, EscapesWhatATextMayNotHold) {
  EXPECT_EQ(Json().text("a\"b", "\\ \n \x1f \xc3\xa9").str(), "{\n  \"a\\\"b\": \"\\\\ \\u000a \\u001f \xc3\xa9\"\n}");
}

TEST(Json, HasNoNumberForNanAndInfinity) {
  EXPECT_EQ(Json().number("x", std::numeric_limits<double>::quiet_NaN()).str(), "{\n  \"x\": null\n}");
  EXPECT_EQ(Json().number("x", -std::numeric_limits<double>::infinity()).str(), "{\n  \"x\": null\n}");
}

}  // namespace
}  // namespace expose

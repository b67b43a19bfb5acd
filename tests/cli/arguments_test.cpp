#include "cli/arguments.hpp"

#include <gtest/gtest.h>

#include "cli/choices.hpp"
#include "cli/help.hpp"
#include "cli/verbs.hpp"

namespace expose::cli {
namespace {

TEST(Arguments, NumbersAreReadWhole) {
  EXPECT_EQ(to_number("0.25"), 0.25);
  EXPECT_EQ(to_number("-3"), -3.0);
  for (const char* const text : {"", "abc", "1x", "inf", "1e400", "NaN"}) EXPECT_THROW(to_number(text), Error) << text;
  EXPECT_EQ(to_count("18446744073709551615"), UINT64_MAX);
  for (const char* const text : {"", "-1", "1.5", "1e3", " 1", "18446744073709551616"}) {
    EXPECT_THROW(to_count(text), Error) << text;
  }
}

TEST(Arguments, ListsAreSplitAtCommas) {
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{});
  std::vector<std::string> names;
  Arguments arguments;
  arguments.option("--ignore", "COL,..", "", names);
  arguments.all().front().set("a,b");
  arguments.all().front().set("c");
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Arguments, HaveALongName) {
  EXPECT_EQ(long_name({.flags = "-o,--output"}), "--output");
  EXPECT_EQ(long_name({.flags = "--top"}), "--top");
  EXPECT_EQ(long_name({.flags = "FILES"}), "FILES");
}

TEST(Arguments, OneRuleFlags) {
  EXPECT_FALSE(threshold_of(ThresholdChoice{}).has_value());
  EXPECT_EQ(threshold_of(ThresholdChoice{.alpha = 0.05}), Threshold(Alpha{0.05}));
  EXPECT_EQ(threshold_of(ThresholdChoice{.top = 3}), Threshold(Top{3}));
  EXPECT_THROW(threshold_of(ThresholdChoice{.alpha = 0.05, .top = 3}), CommandError);
  EXPECT_THROW(threshold_of(ThresholdChoice{.fdr = 0.05, .contamination = 0.1}), CommandError);
  EXPECT_THROW(threshold_of(ThresholdChoice{.alpha = 1.0}), CommandError);
  EXPECT_THROW(threshold_of(ThresholdChoice{.top = 0}), CommandError);
}

TEST(Arguments, FormatsFollowTheNameOfTheFile) {
  EXPECT_EQ(format_of({}, false), Format::csv);
  EXPECT_EQ(format_of({}, true), Format::table);
  EXPECT_EQ(format_of({.path = "v.jsonl"}, true), Format::jsonl);
  EXPECT_EQ(format_of({.path = "v.txt"}, true), Format::csv);
  EXPECT_EQ(format_of({.path = "-"}, true), Format::table);
  EXPECT_EQ(format_of({.path = "v.jsonl", .format = Format::csv}, false), Format::csv);
}

// Declarations contradict each other nowhere: no verb has an option twice, all have help and an example.
TEST(Arguments, VerbsAreDeclaredCleanly) {
  for (const Verb& verb : verbs()) {
    const Declared declared = declare(verb);
    std::vector<std::string> seen;
    for (const Argument& argument : declared.arguments.all()) {
      EXPECT_FALSE(argument.help.empty()) << verb.name << " " << argument.flags;
      EXPECT_FALSE(argument.help.ends_with('.')) << verb.name << " " << argument.flags;
      for (const std::string& flag : split(argument.flags, ',')) {
        EXPECT_EQ(std::count(seen.begin(), seen.end(), flag), 0) << verb.name << " " << flag;
        seen.push_back(flag);
      }
    }
    EXPECT_FALSE(declared.arguments.examples().empty()) << verb.name;
  }
}

}  // namespace
}  // namespace expose::cli

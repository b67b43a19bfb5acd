#include "expose/encode/guess.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/encode/blocks.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

using Table = std::vector<std::vector<std::string>>;

Guess guess_of(const std::vector<std::string>& names, const Table& rows, const ColumnChoice& choice = {}) {
  ColumnGuesser guesser(names, choice);
  guesser.look(block_of(rows, all_texts(names.size())));
  if (guesser.wants_counts()) guesser.count(block_of(rows, guesser.layout()));
  return guesser.guess();
}

// One column of these values, each so many times.
Table column(const std::vector<std::pair<std::string, std::size_t>>& values) {
  Table rows;
  for (const auto& [value, count] : values) rows.insert(rows.end(), count, {value});
  return rows;
}

Column only(const Table& rows, const ColumnChoice& choice = {}) {
  return guess_of({"x"}, rows, choice).columns.all()[0];
}

Table distinct(std::size_t n, const std::string& prefix = "id-") {
  Table rows;
  for (std::size_t i = 0; i < n; ++i) rows.push_back({prefix + std::to_string(i * 7919 % 100003)});
  return rows;
}

TEST(Guess, NumbersAreNumbers) {
  EXPECT_EQ(only(column({{"1", 3}, {"2.5e3", 3}, {"NA", 5}, {"1e400", 1}})).role, Role::number);
  EXPECT_EQ(only(column({{"1", 95}, {"oops", 5}})).role, Role::number) << "a few mistakes are bad rows";
  EXPECT_EQ(only({{"1"}, {"2"}, {"abc"}, {"4"}}).role, Role::number) << "the column would be lost otherwise";
}

TEST(Guess, FewTextsAreACategory) {
  const Column country = only(column({{"FR", 50}, {"DE", 150}, {"", 10}}));
  EXPECT_EQ(country, (Column{.name = "x", .role = Role::category, .levels = {"DE", "FR"}}));
}

TEST(Guess, RareTextsShareALevel) {
  const Column country = only(column({{"FR", 5000}, {"DE", 4000}, {"SE", 3}, {"US", 1}}));
  EXPECT_EQ(country, (Column{.name = "x", .role = Role::category, .levels = {"DE", "FR"}, .rare = {"SE", "US"}}));
}

TEST(Guess, WhereNewTextsComeAllTheTimeTheyAreNoNews) {
  Table rows = column({{"FR", 600}, {"DE", 300}});
  const Table more = distinct(100);
  rows.insert(rows.end(), more.begin(), more.end());
  EXPECT_EQ(only(rows), (Column{.name = "x", .role = Role::category, .levels = {"DE", "FR"}, .open = true}));
}

TEST(Guess, AtMost64Levels) {
  Table rows;
  for (int v = 0; v < 100; ++v) rows.insert(rows.end(), 20, {"v" + std::to_string(v)});
  const Column many = only(rows);
  EXPECT_EQ(many.role, Role::category);
  EXPECT_EQ(many.levels.size(), 64U);
  EXPECT_EQ(many.rare.size(), 36U);
}

TEST(Guess, ManyTextsAreIgnoredAndItSaysSo) {
  const Guess guess = guess_of({"x"}, distinct(300));
  EXPECT_EQ(guess.columns.all()[0].role, Role::ignored);
  EXPECT_EQ(guess.notes, (std::vector<std::string>{"'x' is ignored: 300 different texts in 300 rows"}));
  EXPECT_EQ(guess_of({"x"}, distinct(70000)).notes,
            (std::vector<std::string>{"'x' is ignored: more than 65536 different texts"}));
  EXPECT_EQ(guess_of({"x"}, column({{"", 9}, {"NA", 2}})).notes,
            (std::vector<std::string>{"'x' is ignored: it has no values"}));
  EXPECT_EQ(guess_of({"when"}, {{"2026-11-15"}, {"2026-11-16"}, {"2026-11-17"}}).notes,
            (std::vector<std::string>{"'when' is ignored: it looks like a time; --time when makes use of it"}));
}

TEST(Guess, ACounterIsANumberWithANote) {
  const Guess guess = guess_of({"n"}, {{"7"}, {"8"}, {"9"}});
  EXPECT_EQ(guess.columns.all()[0].role, Role::number);
  EXPECT_EQ(guess.notes.size(), 1U);
}

TEST(Guess, NumbersWithBlanksBetweenThemAreNoted) {
  const std::string note =
      "only one column was found, and its values are numbers with blanks between them; if a blank is the delimiter, "
      "say "
      "--delimiter ' ' (where there are several in a row, make one of them: tr -s ' ')";
  const auto notes = [](const std::vector<std::string>& names, const Table& rows) {
    return guess_of(names, rows).notes;
  };
  EXPECT_EQ(notes({"a b"}, column({{"1 2", 5}, {"-3   4e2", 5}})), std::vector<std::string>{note});
  EXPECT_EQ(notes({"a b"}, {{"1 2"}, {"3 4"}, {"5 6"}}),
            (std::vector<std::string>{"'a b' is ignored: 3 different texts in 3 rows", note}));
  EXPECT_EQ(notes({"place"}, column({{"1 High Street", 5}, {"2 B", 5}})), std::vector<std::string>{});
  EXPECT_EQ(notes({"x"}, column({{"1", 5}, {"2", 5}})), std::vector<std::string>{});
  EXPECT_EQ(notes({"x", "y"}, Table(4, {"1 2", "5"})), std::vector<std::string>{}) << "there is another delimiter";
}

TEST(Guess, DecimalCommasAreNoted) {
  const Table rows = {{"1,5", "2,5", "1"}, {"1,5", "2,5", "4"}, {"-7,25", "2,5", "2"}, {"3", "2,5", "7"}};
  EXPECT_EQ(guess_of({"a", "b", "c"}, rows).notes,
            (std::vector<std::string>{"'a' and another column have numbers with a decimal comma, which are texts here; "
                                      "write 1.5 for 1,5"}));
  EXPECT_EQ(
      guess_of({"a", "b", "c"}, rows, {.ignore = {"a"}}).notes,
      (std::vector<std::string>{"'b' has numbers with a decimal comma, which are texts here; write 1.5 for 1,5"}));
  EXPECT_EQ(guess_of({"a", "b", "c"}, rows, {.columns = {"c"}}).notes, std::vector<std::string>{});
  EXPECT_EQ(guess_of({"a"}, column({{"1,2,3", 9}, {"x,5", 9}})).notes, std::vector<std::string>{});
}

TEST(Guess, LongTextsTakeNoMemory) {
  Table rows = column({{"a", 10}, {"b", 10}});
  rows.push_back({std::string(10000, 'x')});
  EXPECT_EQ(only(rows), (Column{.name = "x", .role = Role::category, .levels = {"a", "b"}, .open = true}));
}

TEST(Guess, DoesNotDependOnTheOrderOfRows) {
  Table rows = column({{"FR", 50}, {"DE", 50}, {"SE", 3}, {"US", 1}});
  const Column before = only(rows);
  std::ranges::reverse(rows);
  EXPECT_EQ(only(rows), before);
}

TEST(Guess, ATimeThatIsTheIdTooStaysATime) {
  const Table rows = column({{"2026-01-02 03:04", 2}, {"2026-01-03 03:04", 2}});
  EXPECT_EQ(only(rows, {.id = "x"}).role, Role::id);
  EXPECT_EQ(only(rows, {.id = "x", .time = "x"}).role, Role::time);
}

TEST(Guess, TheUserDecides) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  const Table rows(4, {"1", "2", "3", "4", "5", "6"});
  const auto roles = [&](const ColumnChoice& choice) {
    std::string letters;
    const Guess guess = guess_of(names, rows, choice);
    for (const Column& column : guess.columns.all()) letters += name(column.role)[0];
    return letters;
  };
  EXPECT_EQ(roles({.label = "a", .id = "b", .time = "c", .ignore = {"d"}, .category = {"e"}}), "liticn");
  EXPECT_EQ(roles({.label = "a", .columns = {"b", "c"}}), "lnniii");
  EXPECT_EQ(complaint([&] { roles({.label = "aa"}); }),
            "not_found: there is no column 'aa' among the 6 there are; did you mean 'a'?");
  EXPECT_EQ(complaint([] {
              ColumnGuesser({"column_1", "column_2"}, {.label = "2"});
            }),
            "not_found: there is no column '2' among the 2 there are; did you mean 'column_2'?");
}

}  // namespace
}  // namespace expose

#include "expose/encode/columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "expose/encode/nearest.hpp"
#include "tests/support/complaint.hpp"

namespace expose {
namespace {

Columns example() {
  return Columns({{.name = "amount"},
                  {.name = "country", .role = Role::category, .levels = {"DE", "FR"}, .rare = {"SE", "US"}},
                  {.name = "when", .role = Role::time},
                  {.name = "key", .role = Role::id},
                  {.name = "fraud", .role = Role::label},
                  {.name = "note", .role = Role::ignored}});
}

TEST(Columns, KnowTheirNumbers) {
  const Columns columns = example();
  ASSERT_EQ(columns.width(), 8U);
  std::vector<std::string> names;
  std::vector<std::size_t> owners;
  for (std::size_t k = 0; k < columns.width(); ++k) {
    names.push_back(columns.number_name(k));
    owners.push_back(columns.owner(k));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"amount", "country=DE", "country=FR", "country=(rare)", "when (hour, cos)",
                                             "when (hour, sin)", "when (weekday, cos)", "when (weekday, sin)"}));
  EXPECT_EQ(owners, (std::vector<std::size_t>{0, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(columns.first_number(2), 4U);
}

TEST(Columns, AddUpWhatTheirNumbersHave) {
  const Columns columns = example();
  EXPECT_TRUE(std::ranges::equal(columns.owners(), std::vector<std::uint32_t>{0, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(columns.by_column(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}), (std::vector<double>{1, 9, 26, 0, 0, 0}));
  EXPECT_EQ(complaint([&] { columns.by_column(std::vector<double>(6)); }),
            "shape_mismatch: there are 6 numbers to add up by column, the columns become 8");
}

TEST(Columns, KnowWhichOfThemBecomeNumbers) {
  const Columns all = example(), features = all.features();
  EXPECT_EQ(features.all(), std::vector<Column>(all.all().begin(), all.all().begin() + 3));
  EXPECT_EQ(features.names(3), "amount, country, when");
  EXPECT_EQ(example().names(2), "amount, country and 4 more");
}

TEST(Columns, MatchAFileByName) {
  const std::vector<std::string> header = {"when", "extra", "key", "amount", "country"};
  const Columns::Match match = example().match(header);
  EXPECT_EQ(match.layout.width, 8U);
  EXPECT_EQ(match.layout.texts, 3U);
  EXPECT_EQ(
      match.layout.columns,
      (std::vector<Place>{{Want::text, 1}, {Want::skip, 0}, {Want::text, 2}, {Want::number, 0}, {Want::text, 0}}));
  const auto none = Columns::kNowhere;
  EXPECT_EQ(match.text, (std::vector<std::size_t>{none, 0, 1, 2, none, none})) << "the file has no label";
}

TEST(Columns, NameTheColumnThatIsMissing) {
  const std::vector<std::string> header = {"Amout", "country", "when"};
  EXPECT_EQ(complaint([&] { example().match(header); }),
            "not_found: there is no column 'amount' among the 3 there are; did you mean 'Amout'?");
  const std::vector<std::string> other = {"x", "country", "when"};
  EXPECT_EQ(complaint([&] { example().match(other); }), "not_found: there is no column 'amount' among the 3 there are");
}

TEST(Columns, SayThatATableSeemsToHaveNoHeader) {
  const auto said = [](const std::vector<std::string>& header) { return complaint([&] { example().match(header); }); };
  EXPECT_EQ(
      said({"column_1", "column_2", "column_3"}),
      "not_found: there is no column 'amount' among the 3 there are; the table seems to have no header, its columns "
      "are called 'column_1' to 'column_3'");
  EXPECT_EQ(
      said({"12.5", "7"}),
      "not_found: there is no column 'amount' among the 2 there are; the table seems to have no header, its columns "
      "are called '12.5' to '7'");
  EXPECT_EQ(
      said({"column_1"}),
      "not_found: there is no column 'amount' among the 1 there are; the table seems to have no header, its columns "
      "are called 'column_1'");
  EXPECT_EQ(said({"country", "12.5"}), "not_found: there is no column 'amount' among the 2 there are");
  EXPECT_EQ(said({}), "not_found: there is no column 'amount' among the 0 there are");
}

TEST(Columns, ComeBackFromBytes) {
  Writer writer;
  example().write(writer);
  Reader reader(writer.bytes());
  const Columns again = Columns::read(reader);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(again, example());
  EXPECT_EQ(again.width(), 8U);
}

// A file is hostile: every prefix and every changed byte gives columns or an Error.
TEST(Columns, RefuseBytesThatAreNone) {
  Writer writer;
  example().write(writer);
  for (std::size_t n = 0; n < writer.bytes().size(); ++n) {
    Reader cut(std::span(writer.bytes()).first(n));
    EXPECT_THROW(Columns::read(cut), Error) << n;
    for (const int flip : {1, 128, 255}) {
      std::vector<std::byte> bytes = writer.bytes();
      bytes[n] ^= static_cast<std::byte>(flip);
      Reader reader(bytes);
      try {
        Columns::read(reader);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::corrupt);
      }
    }
  }
}

TEST(Columns, RefuseWhatMakesNoSense) {
  const auto of = [](std::vector<Column> columns) { return complaint([&] { Columns made(columns); }); };
  EXPECT_EQ(of({{.name = ""}}), "invalid_argument: a column has an empty name");
  EXPECT_EQ(of({{.name = "a"}, {.name = "a"}}), "invalid_argument: there are two columns 'a'");
  EXPECT_EQ(of({{.name = "a", .role = Role::category}}), "invalid_argument: category 'a' has no levels");
  EXPECT_EQ(of({{.name = "a", .levels = {"x"}}}), "invalid_argument: column 'a' has levels, but is no category");
  EXPECT_EQ(of({{.name = "a", .role = Role::category, .levels = {"y", "x"}}}),
            "invalid_argument: column 'a' has 'x' after 'y' among its values");
  EXPECT_EQ(of({{.name = "a", .role = Role::category, .levels = {"x"}, .rare = {"x"}}}),
            "invalid_argument: 'x' of column 'a' is a level and rare");
  EXPECT_EQ(of({{.name = "a", .role = Role::category, .levels = {"x"}, .rare = {"y"}, .open = true}}),
            "invalid_argument: category 'a' is open and lists rare values");
}

TEST(Columns, DescribeThemselves) {
  EXPECT_EQ(example().description(),
            "6 columns: 8 numbers a row\n"
            "  numbers: amount\n"
            "  categories: country (2 values and 2 rare ones)\n"
            "  time: when\n"
            "  id: key\n"
            "  label: fraud\n"
            "  ignored: note");
  EXPECT_EQ(Columns::numbers(10).description(),
            "10 columns: 10 numbers a row\n"
            "  numbers: column_1, column_2, column_3, column_4, column_5, column_6, column_7, column_8 and 2 more");
}

TEST(Nearest, IsTheNameThatWasMeant) {
  const std::vector<std::string> names = {"amount", "account", "time"};
  EXPECT_EQ(nearest("amout", names), "amount");
  EXPECT_EQ(nearest("ACCOUNT", names), "account");
  EXPECT_EQ(nearest("zzzzzz", names), "");
  EXPECT_EQ(nearest("amount", {}), "");
}

}  // namespace
}  // namespace expose

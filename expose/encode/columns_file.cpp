// Columns as bytes, and in words.
#include <algorithm>
#include <array>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/encode/columns.hpp"
#include "expose/encode/field.hpp"

namespace expose {

namespace {

constexpr std::size_t kShown = 8;      // names a line
constexpr std::size_t kTextBytes = 4;  // of a text's length, in the file

void write_texts(Writer& writer, const std::vector<std::string>& texts) {
  writer.u64(texts.size());
  for (const std::string& text : texts) writer.text(text);
}

std::vector<std::string> read_texts(Reader& reader) {
  std::vector<std::string> texts(reader.count(kTextBytes));
  for (std::string& text : texts) text = reader.text();
  return texts;
}

std::string in_words(const Column& column) {
  if (column.role != Role::category) return column.name;
  const auto count = [](std::size_t n, const char* one) { return std::to_string(n) + one + (n == 1 ? "" : "s"); };
  std::string words = column.name + " (" + count(column.levels.size(), " value");
  if (column.open) words += " and rare ones";
  if (!column.rare.empty()) words += " and " + count(column.rare.size(), " rare one");
  return words + ")";
}

// "country, device and 3 more"
std::string listed(const std::vector<std::string>& all, std::size_t most) {
  std::string words;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) words += (i == 0 ? "" : ", ") + all[i];
  return all.size() > most ? words + " and " + std::to_string(all.size() - most) + " more" : words;
}

// "categories: country (3 values), device (2 values)", or nothing.
std::string line(const std::vector<Column>& columns, Role role, const char* title) {
  std::vector<std::string> words;
  for (const Column& column : columns) {
    if (column.role == role) words.push_back(in_words(column));
  }
  return words.empty() ? "" : "\n  " + std::string(title) + ": " + listed(words, kShown);
}

}  // namespace

std::string Columns::description() const {
  constexpr std::array<std::pair<Role, const char*>, 6> kLines = {{{Role::number, "numbers"},
                                                                   {Role::category, "categories"},
                                                                   {Role::time, "time"},
                                                                   {Role::id, "id"},
                                                                   {Role::label, "label"},
                                                                   {Role::ignored, "ignored"}}};
  std::string words = std::to_string(columns_.size()) + (columns_.size() == 1 ? " column: " : " columns: ") +
                      std::to_string(width()) + (width() == 1 ? " number a row" : " numbers a row");
  for (const auto& [role, title] : kLines) words += line(columns_, role, title);
  return words;
}

std::string Columns::names(std::size_t most) const {
  std::vector<std::string> all;
  for (const Column& column : columns_) all.push_back(as_utf8(column.name));
  return listed(all, most);
}

void Columns::write(Writer& writer) const {
  writer.u64(columns_.size());
  for (const Column& column : columns_) {
    writer.text(column.name);
    writer.u8(static_cast<std::uint8_t>(column.role));
    if (column.role != Role::category) continue;
    write_texts(writer, column.levels);
    write_texts(writer, column.rare);
    writer.u8(column.open ? 1 : 0);
  }
}

Columns Columns::read(Reader& reader) {
  std::vector<Column> columns(reader.count(kTextBytes + 1));
  for (Column& column : columns) {
    column.name = reader.text();
    const std::uint8_t role = reader.u8();
    if (role > static_cast<std::uint8_t>(Role::ignored)) {
      throw Error(Code::corrupt,
                  "a role is 0 to 5, the one of column '" + column.name + "' is " + std::to_string(role));
    }
    column.role = static_cast<Role>(role);
    if (column.role != Role::category) continue;
    column.levels = read_texts(reader);
    column.rare = read_texts(reader);
    column.open = reader.yes_no();
  }
  try {
    return Columns(std::move(columns));
  } catch (const Error& error) {
    throw Error(Code::corrupt, error.what());
  }
}

}  // namespace expose

#include "io/ndjson.hpp"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"

namespace expose::io {

namespace {

namespace json = simdjson::ondemand;

static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t kDeepest = 64;  // objects in objects
constexpr std::string_view kMark = "\xef\xbb\xbf";

constexpr std::string_view kBlanks = " \t\r";

bool is_blank(std::string_view line) { return line.find_first_not_of(kBlanks) == std::string_view::npos; }

// Calls visit(path, value) for everything that is no object, with the keys on the way to it. Empty, or what is wrong.
template <class Visit>
std::string walk(json::object object, const std::string& above, std::size_t depth, const Visit& visit) {
  if (depth > kDeepest) return "more than " + std::to_string(kDeepest) + " objects in one another";
  for (auto field : object) {
    std::string_view key;
    json::value value;
    json::json_type type{};
    if (auto error = field.unescaped_key().get(key); error) return simdjson::error_message(error);
    const std::string path = above.empty() ? std::string() : above + "." + std::string(key);
    const std::string_view name = above.empty() ? key : path;
    if (auto error = field.value().get(value); error) return simdjson::error_message(error);
    if (auto error = value.type().get(type); error) return simdjson::error_message(error);
    std::string wrong;
    if (type == json::json_type::object) {
      json::object inner;
      if (auto error = value.get_object().get(inner); error) return simdjson::error_message(error);
      wrong = walk(inner, std::string(name), depth + 1, visit);
    } else {
      wrong = visit(name, type, value);
    }
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// REQUIRES: kPadding bytes behind the line can be read
template <class Visit>
std::string walk_line(json::parser& parser, std::string_view line, const Visit& visit) {
  json::document document;
  json::object object;
  if (auto error = parser.iterate(line.data(), line.size(), line.size() + kPadding).get(document); error) {
    return simdjson::error_message(error);
  }
  if (auto error = document.get_object().get(object); error) return simdjson::error_message(error);
  std::string wrong = walk(object, "", 1, visit);
  if (!wrong.empty()) return wrong;
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? "" : "there is more behind the object";
}

// The text of a value that is no object; null is empty, and so missing. Empty, or what is wrong.
std::string read_text(json::json_type type, json::value& value, std::string_view& text) {
  switch (type) {
    case json::json_type::string: {
      if (auto error = value.get_string().get(text); error) return simdjson::error_message(error);
      return "";
    }
    case json::json_type::array: {
      json::array array;
      if (auto error = value.get_array().get(array); error) return simdjson::error_message(error);
      if (auto error = array.raw_json().get(text); error) return simdjson::error_message(error);
      return "";
    }
    case json::json_type::null: {
      bool null = false;
      if (auto error = value.is_null().get(null); error) return simdjson::error_message(error);
      text = {};
      return null ? "" : "a value that is neither null nor anything else";
    }
    default:
      text = value.raw_json_token();
      text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
      return "";
  }
}

class Ndjson final : public TextFormat {
 public:
  Ndjson(std::vector<std::string> names, std::size_t skip) {
    names_ = std::move(names);
    skip_bytes_ = skip;
    for (std::size_t c = 0; c < names_.size(); ++c) where_.emplace(names_[c], c);
  }

  void cut(std::span<const char> bytes, std::size_t piece, bool, std::vector<std::size_t>& ends) const override {
    cut_lines(bytes, piece, ends);
  }

  std::size_t parse(std::span<const char> piece, const Layout& layout, TableBlock& block) const override {
    json::parser parser;
    block.begin(layout, piece.size(), rows_in(piece, names_.size()));
    const std::string_view text(piece.data(), piece.size());
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); ++lines) {
      const std::size_t end = text.find('\n', at);
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      if (!is_blank(line)) parse_line(parser, line, lines, layout, block);
    }
    return lines;
  }

 private:
  // Keys mostly come in the same order on every line.
  std::size_t find(std::string_view name, std::size_t expected) const {
    if (expected < names_.size() && names_[expected] == name) return expected;
    const auto found = where_.find(name);
    return found == where_.end() ? names_.size() : found->second;
  }

  void parse_line(json::parser& parser, std::string_view line, std::size_t number, const Layout& layout,
                  TableBlock& block) const {
    double* const row = block.add_row(number);
    const std::size_t i = block.rows() - 1;
    std::fill_n(row, layout.width, std::numeric_limits<double>::quiet_NaN());
    std::size_t expected = 0;
    std::string bad;
    const std::string wrong =
        walk_line(parser, line, [&](std::string_view name, json::json_type type, json::value& value) {
          const std::size_t c = find(name, expected);
          if (c == names_.size() || layout.columns[c].want == Want::skip) return std::string();
          expected = c + 1;
          std::string_view text;
          std::string error = read_text(type, value, text);
          if (!error.empty()) return error;
          const Place& place = layout.columns[c];
          if (place.want == Want::text) {
            block.set_text(i, place.at, text);
            return std::string();
          }
          const Field kind = read_number(text, row[place.at]);
          if (kind != Field::number && kind != Field::missing && bad.empty()) bad = no_number(names_[c], text, kind);
          return std::string();
        });
    if (!wrong.empty()) bad = "no JSON object: " + wrong;
    if (!bad.empty()) block.mark_bad(i, std::move(bad));
  }

  std::unordered_map<std::string_view, std::size_t> where_;
};

// REQUIRES: a line that is not blank
[[noreturn]] void refuse_first(std::string_view line, const std::string& wrong) {
  const bool begins = line[line.find_first_not_of(kBlanks)] == '{', ends = line[line.find_last_not_of(kBlanks)] == '}';
  throw Error(Code::corrupt,
              begins && !ends
                  ? "the first line is only a part of a JSON object; one object a line is wanted: jq -c . FILE"
                  : "the first line is no JSON object (" + wrong +
                        "); one object a line is wanted, as jq -c '.[]' writes them for a list");
}

}  // namespace

std::unique_ptr<TextFormat> ndjson_format(std::string_view head, bool whole) {
  const std::size_t skip = head.starts_with(kMark) ? kMark.size() : 0;
  std::string text(head.substr(skip));
  if (!whole) text.resize(std::min(text.rfind('\n'), text.size() - 1) + 1);
  const std::size_t size = text.size();
  text.resize(size + kPadding);
  const std::string_view lines(text.data(), size);
  json::parser parser;
  std::vector<std::string> names;
  std::unordered_map<std::string, bool> known;
  bool first = true;
  for (std::size_t at = 0; at < size;) {
    const std::size_t end = std::min(lines.find('\n', at), size);
    const std::string_view line = lines.substr(at, end - at);
    at = end + 1;
    if (is_blank(line)) continue;
    const std::string wrong = walk_line(parser, line, [&](std::string_view name, json::json_type, json::value&) {
      if (known.emplace(name, true).second) names.emplace_back(name);
      return std::string();
    });
    if (first && !wrong.empty()) refuse_first(line, wrong);
    first = false;
  }
  if (names.empty()) throw Error(Code::corrupt, first ? "the file is empty" : "its first lines have no keys");
  return std::make_unique<Ndjson>(told_apart(std::move(names)), skip);
}

}  // namespace expose::io

#include "expose/detector/json.hpp"

#include <cmath>

#include "expose/base/text.hpp"

namespace expose {

namespace {

std::string quoted(std::string_view value) {
  std::string quoted = "\"";
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (code < 0x20) {
      quoted += std::string("\\u00") + "0123456789abcdef"[code >> 4] + "0123456789abcdef"[code & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace

Json& Json::member(std::string_view key, std::string_view value) {
  members_ += (members_.empty() ? "\n  " : ",\n  ") + quoted(key) + ": ";
  members_ += value;
  return *this;
}

Json& Json::text(std::string_view key, std::string_view value) { return member(key, quoted(value)); }

Json& Json::number(std::string_view key, double value) {
  return member(key, std::isfinite(value) ? expose::text(value) : "null");
}

Json& Json::count(std::string_view key, std::uint64_t value) { return member(key, std::to_string(value)); }

Json& Json::truth(std::string_view key, bool value) { return member(key, value ? "true" : "false"); }

Json& Json::counts(std::string_view key, std::span<const std::uint32_t> values) {
  std::string list = "[";
  for (const std::uint32_t value : values) list += (list.size() > 1 ? ", " : "") + std::to_string(value);
  return member(key, list + "]");
}

// A line end never stands inside a text, so every one begins a line of the inner object.
Json& Json::object(std::string_view key, const Json& value) {
  std::string inner;
  for (const char c : value.str()) inner += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return member(key, inner);
}

Json& Json::objects(std::string_view key, std::span<const Json> values) {
  std::string list;
  for (const Json& value : values) list += (list.empty() ? "\n    " : ",\n    ") + value.line();
  return member(key, list.empty() ? "[]" : "[" + list + "\n  ]");
}

// A line end and the blanks after it become one blank, or none beside a brace.
std::string Json::line() const {
  const std::string object = str();
  std::string line;
  for (std::size_t i = 0; i < object.size(); ++i) {
    if (object[i] != '\n') {
      line += object[i];
      continue;
    }
    while (i + 1 < object.size() && object[i + 1] == ' ') ++i;
    if (line.back() != '{' && object[i + 1] != '}') line += ' ';
  }
  return line;
}

}  // namespace expose

// Json: one JSON object, written member by member: the headers of files, for people and other tools.
//
// Writes only; nothing in this library reads JSON to decide anything. Members stand in the order they were added, one
// a line. A plain value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace expose {

class Json {
 public:
  // REQUIRES: the key is new, and key and value are UTF-8
  Json& text(std::string_view key, std::string_view value);
  // The shortest digits that read back as the same number; null for NaN and infinity, which JSON does not have.
  Json& number(std::string_view key, double value);
  Json& count(std::string_view key, std::uint64_t value);
  Json& truth(std::string_view key, bool value);
  Json& counts(std::string_view key, std::span<const std::uint32_t> values);
  Json& object(std::string_view key, const Json& value);
  // A list of objects, each on a line of its own.
  Json& objects(std::string_view key, std::span<const Json> values);

  std::string str() const { return members_.empty() ? "{}" : "{" + members_ + "\n}"; }
  // The same on one line, for a line of ndjson.
  std::string line() const;

 private:
  Json& member(std::string_view key, std::string_view value);

  std::string members_;
};

}  // namespace expose

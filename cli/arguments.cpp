#include "cli/arguments.hpp"

#include <charconv>
#include <utility>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"

namespace expose::cli {

Argument& Arguments::option(const std::string& flags, const std::string& value, const std::string& help,
                            std::function<void(const std::string&)> set) {
  all_.push_back({flags, value, help, group_, {}, false, false, FileUse::none, std::move(set)});
  return all_.back();
}

Argument& Arguments::option(const std::string& flags, const std::string& value, const std::string& help,
                            std::string& into) {
  return option(flags, value, help, [&into](const std::string& text) { into = text; });
}

Argument& Arguments::option(const std::string& flags, const std::string& value, const std::string& help,
                            std::optional<double>& into) {
  return option(flags, value, help, [&into](const std::string& text) { into = to_number(text); });
}

Argument& Arguments::option(const std::string& flags, const std::string& value, const std::string& help,
                            std::size_t& into) {
  return option(flags, value, help, [&into](const std::string& text) { into = to_count(text); });
}

Argument& Arguments::option(const std::string& flags, const std::string& value, const std::string& help,
                            std::optional<std::size_t>& into) {
  return option(flags, value, help, [&into](const std::string& text) { into = to_count(text); });
}

Argument& Arguments::option(const std::string& flags, const std::string& value, const std::string& help,
                            std::vector<std::string>& into) {
  return option(flags, value, help, [&into](const std::string& text) {
    for (std::string& name : split(text, ',')) into.push_back(std::move(name));
  });
}

void Arguments::flag(const std::string& flags, const std::string& help, bool& into) {
  option(flags, "", help, [&into](const std::string&) { into = true; });
}

Argument& Arguments::positional(const std::string& name, const std::string& help, std::string& into) {
  Argument& argument = option(name, name, help, into);
  argument.group = "Arguments";
  return argument;
}

Argument& Arguments::positionals(const std::string& name, const std::string& help, std::vector<std::string>& into) {
  Argument& argument = option(name, name, help, [&into](const std::string& text) { into.push_back(text); });
  argument.group = "Arguments";
  argument.many = true;
  return argument;
}

std::string long_name(const Argument& argument) {
  const std::size_t comma = argument.flags.rfind(',');
  return comma == std::string::npos ? argument.flags : argument.flags.substr(comma + 1);
}

double to_number(const std::string& text) {
  double number = 0;
  if (read_number(text, number) == Field::number) return number;
  throw Error(Code::invalid_argument, in_quotes(text) + " is no number");
}

std::uint64_t to_count(const std::string& text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ec == std::errc() && read.ptr == end) return count;
  throw Error(Code::invalid_argument, in_quotes(text) + " is no whole number from 0 on");
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace expose::cli

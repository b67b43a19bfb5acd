// Arguments: what a verb takes, declared once: parsing, help, man page and shell completion all come from it.
//
// A value that cannot be read is an Error of code invalid_argument whose sentence names the option. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace expose::cli {

struct Example {
  std::string line;  // what is typed
  std::string does;  // what that does, or empty
};

// What becomes of the file that an argument names, so that none is read and overwritten by one command.
enum class FileUse {
  none,      // it names no file
  table,     // read, perhaps again and again
  model,     // read at the beginning
  written,   // begun anew, or replaced
  replaced,  // as a whole, at the end: it may be a model that was read
};

struct Argument {
  std::string flags;                      // "-o,--output"; or the name of a positional: "FILES"
  std::string value = {};                 // "FILE"; empty: a flag
  std::string help = {};                  // a sentence without a full stop
  std::string group = {};                 // under which heading it stands
  std::vector<std::string> choices = {};  // for completion
  bool many = false;                      // a positional that takes all that is left
  bool required = false;
  FileUse file = FileUse::none;
  std::function<void(const std::string&)> set = {};
  bool positional() const { return flags.front() != '-'; }
};

struct Refused {
  std::string option;  // "--top"
  std::string why;
};

class Arguments {
 public:
  // Options that follow stand under this heading.
  void group(std::string heading) { group_ = std::move(heading); }
  void example(std::string line, std::string does) { examples_.push_back({std::move(line), std::move(does)}); }
  // A paragraph at the end of the help.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  // set: called with the value; its Error gets the option in front. Returns the argument, to say more about it.
  Argument& option(const std::string& flags, const std::string& value, const std::string& help,
                   std::function<void(const std::string&)> set);
  Argument& option(const std::string& flags, const std::string& value, const std::string& help, std::string& into);
  Argument& option(const std::string& flags, const std::string& value, const std::string& help,
                   std::optional<double>& into);
  Argument& option(const std::string& flags, const std::string& value, const std::string& help, std::size_t& into);
  Argument& option(const std::string& flags, const std::string& value, const std::string& help,
                   std::optional<std::size_t>& into);
  // Separated by commas, and as often as one likes.
  Argument& option(const std::string& flags, const std::string& value, const std::string& help,
                   std::vector<std::string>& into);
  void flag(const std::string& flags, const std::string& help, bool& into);
  Argument& positional(const std::string& name, const std::string& help, std::string& into);
  Argument& positionals(const std::string& name, const std::string& help, std::vector<std::string>& into);

  // An option that other verbs have: why this one does not.
  void refuse(std::string option, std::string why) { refused_.push_back({std::move(option), std::move(why)}); }

  const std::vector<Argument>& all() const { return all_; }
  const std::vector<Example>& examples() const { return examples_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<Refused>& refused() const { return refused_; }

 private:
  std::vector<Argument> all_;
  std::vector<Example> examples_;
  std::vector<std::string> notes_;
  std::vector<Refused> refused_;
  std::string group_ = "Options";
};

// "--output" of "-o,--output": the last, and longest, of its names.
std::string long_name(const Argument& argument);

// Texts to numbers, all of the text. Throw Code::invalid_argument: "'abc' is no number".
double to_number(const std::string& text);
std::uint64_t to_count(const std::string& text);
std::vector<std::string> split(const std::string& text, char at);

}  // namespace expose::cli

// Console: how a command talks to a person: messages, warnings and progress on standard error; and what it may use
// there: colours and moving lines on a terminal only, and no colours where NO_COLOR is set.
//
// Results never go through here: they go to an Output. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace expose::cli {

// "expose detect 'my data.csv'": words behind the name of the program, as a shell takes them.
std::string as_typed(const std::vector<std::string>& words);

class Console {
 public:
  struct Abilities {
    bool terminal_out = false;  // standard output is one
    bool terminal_err = false;
    bool colours = false;
    bool quiet = false;      // no messages, only errors
    std::size_t width = 80;  // of the terminal, in characters
  };
  // What this process has.
  static Abilities of_process();

  explicit Console(Abilities abilities) : abilities_(abilities) {}

  const Abilities& abilities() const { return abilities_; }
  void set_quiet() { abilities_.quiet = true; }
  void set_plain() { abilities_.colours = false; }
  // What was typed, for pages that say how they were made.
  void set_words(std::vector<std::string> words) { words_ = std::move(words); }
  const std::vector<std::string>& words() const { return words_; }
  std::string command() const { return as_typed(words_); }

  // A line on standard error, made harmless. Not said when quiet: say. Said always: complain.
  void say(const std::string& line);
  void complain(const std::string& line);

  // One line that is written over again and again, ten times a second at most; on a terminal only.
  void show_progress(const std::string& line);
  // Takes it away.
  void end_progress();
  // From now on there is none: the results themselves appear on the terminal.
  void hide_progress();

  std::string bold(const std::string& text) const { return painted("1", text); }
  std::string faint(const std::string& text) const { return painted("2", text); }
  std::string red(const std::string& text) const { return painted("31", text); }
  std::string green(const std::string& text) const { return painted("32", text); }

 private:
  std::string painted(const char* code, const std::string& text) const;

  Abilities abilities_;
  std::vector<std::string> words_;
  bool line_is_shown_ = false;
  bool shows_progress_ = true;
  std::chrono::steady_clock::time_point last_shown_;
};

// 1,234,567
std::string with_commas(std::size_t count);
// "1 row", "1,234 rows": `what` in the plural is what + "s" where `many` is not given.
std::string counted(std::size_t count, const std::string& what, const std::string& many = {});
// About three digits: 0.0123, 1.2e-05, 1,234.
std::string in_brief(double number);
// So many digits behind the point: 0.9934.
std::string fixed(double number, int digits);
// 83 %
std::string percent(double share);
// 12 s, 3 min, 2 h.
std::string duration(double seconds);

}  // namespace expose::cli

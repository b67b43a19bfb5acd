#include "cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cli/characters.hpp"

namespace expose::cli {

std::string as_typed(const std::vector<std::string>& words) {
  std::string line = "expose";
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>*?()[]{}!#~`") == std::string::npos;
    line += " ";
    if (plain) {
      line += word;
      continue;
    }
    line += "'";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "'";
  }
  return line;
}

Console::Abilities Console::of_process() {
  Abilities abilities;
  abilities.terminal_out = ::isatty(STDOUT_FILENO) != 0;
  abilities.terminal_err = ::isatty(STDERR_FILENO) != 0;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string(term) == "dumb";
  abilities.colours = abilities.terminal_out && !dumb && (no_color == nullptr || *no_color == '\0');
  winsize size = {};
  if (::ioctl(abilities.terminal_out ? STDOUT_FILENO : STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    abilities.width = size.ws_col;
  }
  return abilities;
}

void Console::say(const std::string& line) {
  if (!abilities_.quiet) complain(line);
}

void Console::complain(const std::string& line) {
  end_progress();
  std::fprintf(stderr, "%s\n", harmless(line).c_str());
}

void Console::show_progress(const std::string& line) {
  if (!abilities_.terminal_err || abilities_.quiet || !shows_progress_) return;
  const auto now = std::chrono::steady_clock::now();
  if (line_is_shown_ && now - last_shown_ < std::chrono::milliseconds(100)) return;
  last_shown_ = now;
  line_is_shown_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", line.substr(0, abilities_.width - 1).c_str());
  std::fflush(stderr);
}

void Console::end_progress() {
  if (!line_is_shown_) return;
  line_is_shown_ = false;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void Console::hide_progress() {
  end_progress();
  shows_progress_ = false;
}

std::string Console::painted(const char* code, const std::string& text) const {
  return abilities_.colours && !text.empty() ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

std::string with_commas(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counted(std::size_t count, const std::string& what, const std::string& many) {
  return with_commas(count) + " " + (count == 1 ? what : many.empty() ? what + "s" : many);
}

std::string in_brief(double number) {
  if (std::abs(number) >= 1000 && std::abs(number) < 1e15) {
    const std::string digits = with_commas(static_cast<std::size_t>(std::llround(std::abs(number))));
    return (number < 0 ? "-" : "") + digits;
  }
  std::array<char, 32> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::general, 3);
  return {digits.data(), written.ptr};
}

std::string fixed(double number, int digits) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, digits);
  return written.ec == std::errc() ? std::string(text.data(), written.ptr) : in_brief(number);
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string duration(double seconds) {
  const auto whole = [](double number) { return std::to_string(std::llround(number)); };
  if (seconds < 120) return whole(seconds) + " s";
  return seconds < 7200 ? whole(seconds / 60) + " min" : whole(seconds / 3600) + " h";
}

}  // namespace expose::cli

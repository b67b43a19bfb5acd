#include "cli/report/html.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace expose::cli {

namespace {

constexpr std::string_view kReplacement = "\uFFFD";
constexpr std::size_t kLongestTitle = 120;  // characters

struct Character {
  char32_t code = 0xFFFD;
  std::size_t bytes = 1;
};

// The character at the front; U+FFFD for a byte that begins none. REQUIRES: !text.empty()
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, bytes};
}

bool turns_direction(char32_t code) {
  return code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

bool is_control(char32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
}

void append_escaped(std::string& out, std::string_view text, Character character) {
  switch (character.code) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\'':
      out += "&#39;";
      return;
    default:
      break;
  }
  const bool shown = character.code != 0xFFFD && !is_control(character.code) && !turns_direction(character.code);
  out += shown ? text.substr(0, character.bytes) : kReplacement;
}

// Escaped, and where the text was cut.
struct Beginning {
  std::string html;
  bool whole = true;
};

Beginning beginning(std::string_view text, std::size_t most) {
  Beginning out;
  for (std::size_t seen = 0; !text.empty(); ++seen) {
    if (seen == most || out.html.size() >= 2 * most) {
      out.whole = false;
      break;
    }
    const Character character = first_character(text);
    append_escaped(out.html, text, character);
    text.remove_prefix(character.bytes);
  }
  return out;
}

void drop_zeros(std::string& text) {
  if (text.find('.') == std::string::npos) return;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
}

// So many digits behind the point, without zeros at the end. REQUIRES: below 1e9 in size
std::string fixed(double number, int decimals) {
  std::array<char, 64> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  std::string text(buffer.data(), written.ptr);
  drop_zeros(text);
  return text == "-0" ? "0" : text;
}

std::string with_commas(std::string text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > begin + 3;) text.insert(at -= 3, ",");
  return text;
}

// Below this a p-value is as good as 0.
bool is_tiny(double p_value) { return p_value >= 0 && p_value < 1e-300; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const Character character = first_character(text);
    append_escaped(html, text, character);
    text.remove_prefix(character.bytes);
  }
  return html;
}

std::string shortened(std::string_view text, std::size_t most) {
  const Beginning shown = beginning(text, most);
  return shown.whole ? shown.html : shown.html + "…";
}

std::string cut(std::string_view text, std::size_t most) {
  if (most >= kLongestTitle || beginning(text, most).whole) return shortened(text, most);
  return "<span title=\"" + shortened(text, kLongestTitle) + "\">" + shortened(text, most) + "</span>";
}

std::string count_text(std::size_t count) { return with_commas(std::to_string(count)); }

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return count_text(count) + " " + std::string(count == 1 ? one : many);
}

std::string power_text(int exponent) {
  constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kRaised[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string number_text(double number, int digits) {
  if (!std::isfinite(number)) return "–";
  const double size = std::abs(number);
  if (number == 0) return "0";
  if (size >= 1e-4 && size < 1e7) {
    const int exponent = static_cast<int>(std::floor(std::log10(size)));
    return with_commas(fixed(number, std::max(0, digits - 1 - exponent)));
  }
  std::array<char, 64> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific, digits - 1);
  const std::string text(buffer.data(), written.ptr);
  const std::size_t e = text.find('e');
  int exponent = 0;
  const std::size_t sign = text[e + 1] == '+' ? 2 : 1;
  std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);
  std::string mantissa = text.substr(0, e);
  drop_zeros(mantissa);
  return mantissa == "1" ? power_text(exponent) : mantissa + "×" + power_text(exponent);
}

std::string with_short_numbers(std::string_view text) {
  constexpr std::size_t kLong = 9;  // characters
  constexpr std::string_view kBetween = " ,;()=";
  std::string out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    double number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = read.ec == std::errc() && read.ptr == word.data() + word.size() && std::isfinite(number);
    const bool is_long = word.size() > kLong && word.find('.') != std::string_view::npos;
    out += is_number && is_long ? number_text(number, 6) : std::string(word);
    text.remove_prefix(word.size());
    if (text.empty()) break;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

std::string p_text(double p_value) { return is_tiny(p_value) ? "&lt;" + power_text(-300) : number_text(p_value, 2); }

std::string p_equals(double p_value) {
  return is_tiny(p_value) ? "p &lt; " + power_text(-300) : "p = " + number_text(p_value, 2);
}

std::string percent_text(double share) {
  if (!std::isfinite(share)) return "–";
  if (share > 0 && share < 0.001) return "&lt;0.1\u00A0%";
  return fixed(100 * share, share < 0.0995 ? 1 : 0) + "\u00A0%";
}

std::string place_text(double place) {
  constexpr double kFar = 1e6;
  return std::isfinite(place) ? fixed(std::clamp(place, -kFar, kFar), 1) : "0";
}

}  // namespace expose::cli

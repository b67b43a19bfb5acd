#include "cli/report/html.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/characters.hpp"
#include "expose/calibrate/surprise.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kLongestTitle = 120;  // characters

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
  out += is_harmless(character) ? text.substr(0, character.bytes) : kReplacement;
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
std::string rounded(double number, int decimals) {
  std::array<char, 64> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  std::string text(buffer.data(), written.ptr);
  drop_zeros(text);
  return text == "-0" ? "0" : text;
}

std::string in_thousands(std::string text) {
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

std::string power_text(int exponent) {
  constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kRaised[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string similarity_text(double similarity, int digits) {
  return number_text(std::abs(similarity) < kSmallestSimilarity ? 0.0 : similarity, digits);
}

std::string number_text(double number, int digits) {
  if (!std::isfinite(number)) return "–";
  const double size = std::abs(number);
  if (number == 0) return "0";
  if (size >= 1e-4 && size < 1e7) {
    const int exponent = static_cast<int>(std::floor(std::log10(size)));
    return in_thousands(rounded(number, std::max(0, digits - 1 - exponent)));
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
  return rounded(100 * share, share < 0.0995 ? 1 : 0) + "\u00A0%";
}

std::string place_text(double place) {
  constexpr double kFar = 1e6;
  return std::isfinite(place) ? rounded(std::clamp(place, -kFar, kFar), 1) : "0";
}

}  // namespace expose::cli

// What every page must be: well-formed, of known elements, loading and running nothing, with numbers in its drawings.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace expose::cli {

inline std::size_t count_of(std::string_view page, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = page.find(what); at != std::string_view::npos; at = page.find(what, at + what.size())) ++count;
  return count;
}

inline bool has(std::string_view page, std::string_view what) { return page.find(what) != std::string_view::npos; }

// The part of a page between these two.
inline std::string between(const std::string& page, const std::string& begin, const std::string& end) {
  const std::size_t from = page.find(begin);
  return from == std::string::npos ? "" : page.substr(from, page.find(end, from) - from);
}

// The name of a tag and its attributes; a complaint of the test where it is not written as ours are.
struct Tag {
  std::string name = {};
  bool closes = false;
  bool is_whole = false;  // <.../>
  std::map<std::string, std::string> attributes = {};
};

inline Tag read_tag(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
  Tag tag{.closes = text.starts_with("</"), .is_whole = text.ends_with("/>")};
  std::string_view rest = std::string_view(text).substr(tag.closes ? 2 : 1);
  rest.remove_suffix(tag.is_whole ? 2 : 1);
  const auto take_name = [&] {
    const std::string name(rest.substr(0, rest.find_first_not_of(kLetters)));
    rest.remove_prefix(name.size());
    return name;
  };
  tag.name = take_name();
  while (rest.starts_with(' ')) {
    rest.remove_prefix(1);
    const std::string name = take_name();
    const std::size_t end = rest.starts_with("=\"") ? rest.find('"', 2) : std::string_view::npos;
    if (end == std::string_view::npos) break;
    const bool is_new = tag.attributes.emplace(name, rest.substr(2, end - 2)).second;
    EXPECT_TRUE(is_new) << text;
    rest.remove_prefix(end + 1);
  }
  EXPECT_EQ(rest, "") << text;
  return tag;
}

inline void expect_good_attribute(const std::string& name, const std::string& value) {
  static const std::set<std::string> kTexts = {"lang", "charset", "http-equiv", "content",     "name", "class",
                                               "id",   "title",   "aria-label", "aria-hidden", "role", "data-name"};
  static const std::set<std::string> kPlaces = {"x",  "y", "x1", "x2",    "y1",     "y2",     "cx",
                                                "cy", "r", "d",  "width", "height", "viewBox"};
  if (kPlaces.contains(name)) {
    EXPECT_FALSE(value.empty()) << name;
    EXPECT_EQ(value.find_first_not_of("0123456789.- MV"), std::string::npos) << name << " " << value;
    const bool is_size = name == "width" || name == "height" || name == "r";
    EXPECT_FALSE(is_size && value.starts_with('-')) << name << " " << value;
  } else if (name == "href") {
    EXPECT_TRUE(value.starts_with('#')) << value;
  } else if (name == "style") {
    EXPECT_TRUE(value.starts_with("width:") && value.ends_with("%")) << value;
    EXPECT_EQ(value.find_first_not_of("0123456789.", 6), value.size() - 1) << value;
  } else {
    EXPECT_TRUE(kTexts.contains(name)) << name << " " << value;
  }
}

inline void expect_good_page(const std::string& page) {
  static const std::set<std::string> kKnown = {
      "html",  "head", "meta", "title", "style", "body",   "header", "p",       "h1",      "h2",     "b",
      "dl",    "div",  "dt",   "dd",    "small", "nav",    "a",      "main",    "section", "figure", "figcaption",
      "svg",   "g",    "text", "line",  "rect",  "circle", "path",   "span",    "i",       "table",  "thead",
      "tbody", "tr",   "th",   "td",    "ul",    "li",     "pre",    "details", "summary", "footer"};
  EXPECT_LT(page.size(), 1000000U);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_TRUE(page.ends_with("</body>\n</html>\n"));
  EXPECT_TRUE(has(page, "content=\"default-src 'none'; style-src 'unsafe-inline'\""));
  EXPECT_FALSE(has(between(page, "<style>", "</style>"), "url("));
  EXPECT_FALSE(has(between(page, "<style>", "</style>"), "@import"));
  std::vector<std::string> open;
  std::set<std::string> ids, targets;
  for (std::size_t at = page.find('<', 1); at != std::string::npos; at = page.find('<', at + 1)) {
    const Tag tag = read_tag(page.substr(at, page.find('>', at) - at + 1));
    ASSERT_TRUE(kKnown.contains(tag.name)) << tag.name;
    for (const auto& [name, value] : tag.attributes) {
      expect_good_attribute(name, value);
      const bool is_new = name != "id" || ids.insert(value).second;
      EXPECT_TRUE(is_new) << value;
      if (name == "href") targets.insert(value.substr(1));
    }
    if (tag.closes) {
      ASSERT_FALSE(open.empty()) << tag.name;
      ASSERT_EQ(open.back(), tag.name) << page.substr(at < 200 ? 0 : at - 200, 260);
      open.pop_back();
    } else if (!tag.is_whole && tag.name != "meta") {
      open.push_back(tag.name);
    }
  }
  EXPECT_TRUE(open.empty());
  for (const std::string& target : targets) EXPECT_TRUE(ids.contains(target)) << target;
}

}  // namespace expose::cli

#include "expose/mean/memory.hpp"

#include <charconv>
#include <string_view>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/mean/exact.hpp"

namespace expose {
namespace {

constexpr std::string_view kWindow = "window:";
constexpr std::string_view kFading = "fading:";

// Whether all of `digits` is one number that fits.
template <typename Number>
bool parse(std::string_view digits, Number& number) {
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

Memory parsed(const std::string& name) {
  const std::string_view given(name);
  if (given == "everything") return Everything{};
  Window window;
  if (given.starts_with(kWindow) && parse(given.substr(kWindow.size()), window.length)) return window;
  Fading fading;
  if (given.starts_with(kFading) && parse(given.substr(kFading.size()), fading.gamma)) return fading;
  throw Error(Code::invalid_argument, "there is no memory '" + name +
                                          "'; there are everything, window:L (the last L rows, as in window:500) and "
                                          "fading:G (the newest row weighs G, as in fading:0.01)");
}

}  // namespace

void require_valid(const Memory& memory) {
  const Window* window = std::get_if<Window>(&memory);
  if (window != nullptr && (window->length == 0 || window->length > static_cast<std::uint64_t>(kMaxWeight))) {
    throw Error(Code::invalid_argument, "the window has length " + std::to_string(window->length) +
                                            "; it must hold 1 to " + std::to_string(kMaxWeight) + " rows");
  }
  const Fading* fading = std::get_if<Fading>(&memory);
  if (fading != nullptr && !(fading->gamma >= 0.0 && fading->gamma < 1.0)) {  // so that NaN fails too
    throw Error(Code::invalid_argument, "gamma is " + text(fading->gamma) + "; it must be in [0, 1)");
  }
}

std::string name(const Memory& memory) {
  if (const Window* window = std::get_if<Window>(&memory)) return std::string(kWindow) + std::to_string(window->length);
  if (const Fading* fading = std::get_if<Fading>(&memory)) return std::string(kFading) + text(fading->gamma);
  return "everything";
}

Memory memory_named(const std::string& name) {
  const Memory memory = parsed(name);
  require_valid(memory);
  return memory;
}

}  // namespace expose

#include "expose/mean/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

TEST(Memory, NamesReadBackAsWhatTheyName) {
  const std::vector<std::pair<Memory, std::string>> cases = {
      {Everything{}, "everything"},    {Window{1}, "window:1"},   {Window{500}, "window:500"},
      {Fading{0.01}, "fading:0.01"},   {Fading{0.0}, "fading:0"}, {Fading{0.1 + 0.2}, "fading:0.30000000000000004"},
      {Fading{1e-12}, "fading:1e-12"},
  };
  for (const auto& [memory, text] : cases) {
    EXPECT_EQ(name(memory), text);
    EXPECT_EQ(memory_named(text), memory) << text;
  }
}

TEST(Memory, UnknownNamesAreToldWhatThereIs) {
  for (const std::string text : {"", "forever", "Everything", "everything ", "window", "window:", "window:-1",
                                 "window:+5", "window:5.5", "window:500x", "window:99999999999999999999",
                                 "fading:", "fading:a", "fading: 0.1", "fading:0.1,", "fading:1e999"}) {
    EXPECT_EQ(complaint([&] { memory_named(text); }),
              "invalid_argument: there is no memory '" + text +
                  "'; there are everything, window:L (the last L rows, as in window:500) and fading:G (the newest row "
                  "weighs G, as in fading:0.01)");
  }
}

TEST(Memory, RefusesValuesOutsideTheirRange) {
  EXPECT_EQ(complaint([] { require_valid(Window{0}); }),
            "invalid_argument: the window has length 0; it must hold 1 to 1099511627776 rows");
  EXPECT_EQ(complaint([] { memory_named("window:0"); }),
            "invalid_argument: the window has length 0; it must hold 1 to 1099511627776 rows");
  EXPECT_EQ(complaint([] { require_valid(Window{(std::size_t{1} << 40) + 1}); }),
            "invalid_argument: the window has length 1099511627777; it must hold 1 to 1099511627776 rows");
  EXPECT_EQ(complaint([] { require_valid(Fading{1.0}); }), "invalid_argument: gamma is 1; it must be in [0, 1)");
  EXPECT_EQ(complaint([] { memory_named("fading:1.5"); }), "invalid_argument: gamma is 1.5; it must be in [0, 1)");
  EXPECT_EQ(complaint([] { require_valid(Fading{-0.1}); }), "invalid_argument: gamma is -0.1; it must be in [0, 1)");
  EXPECT_EQ(complaint([] { require_valid(Fading{std::nan("")}); }),
            "invalid_argument: gamma is nan; it must be in [0, 1)");
  EXPECT_EQ(complaint([] { require_valid(Fading{std::numeric_limits<double>::infinity()}); }),
            "invalid_argument: gamma is inf; it must be in [0, 1)");
}

TEST(Memory, AcceptsTheEdgesOfItsRange) {
  require_valid(Everything{});
  require_valid(Window{1});
  require_valid(Window{std::size_t{1} << 40});
  require_valid(Fading{0.0});
  require_valid(Fading{std::nextafter(1.0, 0.0)});
}

}  // namespace
}  // namespace expose

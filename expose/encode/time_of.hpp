// A time as people and programs write it, and where in its day and week it stands.
//
// Read are ISO 8601 (2026-11-15T17:50:14.25+01:00, a blank for the T, seconds and zone may be missing, a date alone),
// the same with / for -, 20261115T175014Z, 20261115, 15.11.2026 17:50:14, and seconds, milliseconds, microseconds or
// nanoseconds since 1970. The clock is the one on the wall where it was written: a zone is read and not applied, as
// people live by their own clock. Numbers since 1970 count in UTC. Pure functions; any number of threads may call them.
#pragma once

#include <optional>
#include <string_view>

namespace expose {

struct WallClock {
  double day = 0;   // share of the day that is over, in [0, 1)
  double week = 0;  // share of the week that is over, which begins on Monday, in [0, 1)
  bool operator==(const WallClock&) const = default;
};

// Nothing where the text is no time.
std::optional<WallClock> read_time(std::string_view text);
// The same as seconds since 1970 began on that clock.
std::optional<double> read_seconds(std::string_view text);

}  // namespace expose

#include "expose/encode/time_of.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "expose/encode/field.hpp"

namespace expose {

namespace {

constexpr double kDay = 86400.0;  // seconds

// Takes characters off the front of a text, if they are there.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}
  bool done() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_any(std::string_view characters) {
    if (text_.empty() || characters.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Exactly so many digits.
  bool digits(std::size_t count, int& value) {
    if (text_.size() < count) return false;
    int sum = 0;
    for (const char c : text_.substr(0, count)) {
      if (!is_digit(c)) return false;
      sum = sum * 10 + (c - '0');
    }
    text_.remove_prefix(count);
    value = sum;
    return true;
  }
  // Any digits, as those behind a point.
  double fraction() {
    double value = 0, unit = 0.1;
    for (; !text_.empty() && is_digit(text_.front()); text_.remove_prefix(1), unit /= 10) {
      value += unit * (text_.front() - '0');
    }
    return value;
  }

 private:
  std::string_view text_;
};

struct Moment {
  double day = 0;  // since 1970
  double seconds = 0;
};

// The share of a week that is over. Day 0, 1 January 1970, was a Thursday.
WallClock clock_at(const Moment& at) {
  const double weekday = at.day + 3 - 7 * std::floor((at.day + 3) / 7);
  return {at.seconds / kDay, (weekday + at.seconds / kDay) / 7};
}

std::optional<double> read_date(Scan& scan) {
  int year = 0, month = 0, day = 0;
  const Scan start = scan;
  const auto year_first = [&](char separator) {
    scan = start;
    return scan.digits(4, year) && scan.take(separator) && scan.digits(2, month) && scan.take(separator) &&
           scan.digits(2, day);
  };
  const auto day_first = [&] {
    scan = start;
    return scan.digits(2, day) && scan.take('.') && scan.digits(2, month) && scan.take('.') && scan.digits(4, year);
  };
  const auto compact = [&] {
    scan = start;
    return scan.digits(4, year) && scan.digits(2, month) && scan.digits(2, day);
  };
  if (!year_first('-') && !year_first('/') && !day_first() && !compact()) return {};
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

// A leap second and 24:00 count as the last moment before midnight.
std::optional<double> read_clock(Scan& scan) {
  int hour = 0, minute = 0, second = 0;
  double fraction = 0;
  if (!scan.digits(2, hour)) return {};
  const bool colons = scan.take(':');
  if (!scan.digits(2, minute)) return {};
  if (colons ? scan.take(':') : !scan.done()) {
    if (!scan.digits(2, second) && colons) return {};
    if (scan.take_any(".,")) fraction = scan.fraction();
  }
  const double seconds = hour * 3600.0 + minute * 60.0 + second + fraction;
  if (minute > 59 || second > 60 || seconds > kDay + 1) return {};
  return std::min(seconds, std::nextafter(kDay, 0.0));
}

bool take_zone(Scan& scan) {
  scan.take(' ');
  if (scan.take('Z') || scan.take('z')) return true;
  int hours = 0, minutes = 0;
  if (!scan.take_any("+-")) return true;
  if (!scan.digits(2, hours)) return false;
  scan.take(':');
  return scan.done() || scan.digits(2, minutes);
}

// A number counts seconds up to 1e11 (the year 5138), then milliseconds, and so on by factors of 1000.
std::optional<Moment> since_1970(double count) {
  for (int i = 0; i < 3 && std::abs(count) >= 1e11; ++i) count /= 1000;
  if (std::abs(count) >= 1e11) return {};
  const double days = std::floor(count / kDay);
  return Moment{days, std::min(count - days * kDay, std::nextafter(kDay, 0.0))};
}

std::optional<Moment> read_moment(std::string_view text) {
  text = trimmed(text);
  Scan scan(text);
  if (const auto date = read_date(scan)) {
    if (scan.done()) return Moment{*date, 0};
    if (scan.take_any("T t")) {
      const auto seconds = read_clock(scan);
      if (seconds && take_zone(scan) && scan.done()) return Moment{*date, *seconds};
      return {};
    }
  }
  double count = 0;
  if (read_number(text, count) == Field::number) return since_1970(count);
  return {};
}

}  // namespace

std::optional<WallClock> read_time(std::string_view text) {
  const std::optional<Moment> at = read_moment(text);
  return at ? std::optional(clock_at(*at)) : std::nullopt;
}

std::optional<double> read_seconds(std::string_view text) {
  const std::optional<Moment> at = read_moment(text);
  return at ? std::optional(at->day * kDay + at->seconds) : std::nullopt;
}

}  // namespace expose

#include "cli/report/axis.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "cli/report/html.hpp"

namespace expose::cli {

namespace {

constexpr double kDay = 86400;
constexpr double kMonth = 30.44 * kDay;
constexpr double kYear = 365.25 * kDay;
constexpr double kFarthest = 8000 * kYear;  // from 1970: four digits of a year

std::string two_digits(int value) { return (value < 10 ? "0" : "") + std::to_string(value); }

struct Moment {
  int year = 0;
  int month = 0;
  int day = 0;
  int second = 0;  // of the day
};

// REQUIRES: at most kFarthest from 1970
Moment moment_of(double seconds) {
  const double days = std::floor(seconds / kDay);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())), static_cast<int>(seconds - days * kDay)};
}

std::string month_text(const Moment& moment) { return std::to_string(moment.year) + "-" + two_digits(moment.month); }

std::string clock_text(const Moment& moment, bool with_seconds) {
  return two_digits(moment.second / 3600) + ":" + two_digits(moment.second / 60 % 60) +
         (with_seconds ? ":" + two_digits(moment.second % 60) : "");
}

std::string mark_text(double seconds, double step) {
  const Moment moment = moment_of(seconds);
  if (step >= kYear) return std::to_string(moment.year);
  if (step >= kMonth) return month_text(moment);
  if (step >= kDay) return month_text(moment) + "-" + two_digits(moment.day);
  if (step >= 3600) return two_digits(moment.month) + "-" + two_digits(moment.day) + " " + clock_text(moment, false);
  return clock_text(moment, step < 60);
}

// The first of the months that are `step` months apart from January of year 0, from this moment on, and those after it.
std::vector<Mark> month_marks(double low, double high, int step, double unit) {
  std::vector<Mark> marks;
  const Moment first = moment_of(low);
  const int month = first.year * 12 + first.month - 1;
  for (int at = month - month % step; marks.size() < 100; at += step) {
    const std::chrono::sys_days date(std::chrono::year(at / 12) / (at % 12 + 1) / 1);
    const double seconds = kDay * static_cast<double>(date.time_since_epoch().count());
    if (seconds > high) break;
    if (seconds >= low) marks.push_back({seconds, mark_text(seconds, unit)});
  }
  return marks;
}

// The smallest of 1, 2, 5, 10, ... times a power of ten that is at least this. REQUIRES: above 0
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double Axis::at(double value) const {
  const double share = (value - low) / (high - low);
  return from + (to - from) * (share > 0 ? std::min(share, 1.0) : 0.0);
}

std::vector<Mark> round_marks(double low, double high, std::size_t about) {
  std::vector<Mark> marks;
  if (!(high > low)) return marks;
  const double step = round_step((high - low) / static_cast<double>(about));
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && marks.size() < 100; ++i) {
    marks.push_back({i * step, number_text(i * step)});
  }
  return marks;
}

std::vector<Mark> power_marks(double low, double high, std::size_t about) {
  std::vector<Mark> marks;
  if (!(high > low)) return marks;
  const double step = std::max(1.0, std::ceil((high - low) / static_cast<double>(about)));
  for (double i = step * std::ceil(low / step - 1e-9); i <= high + 1e-9 && marks.size() < 100; i += step) {
    const int exponent = static_cast<int>(i);
    const bool short_enough = exponent >= -3 && exponent <= 6;
    marks.push_back({i, short_enough ? number_text(std::pow(10.0, exponent)) : power_text(exponent)});
  }
  return marks;
}

std::vector<Mark> time_marks(double low, double high, std::size_t about) {
  if (!(high > low) || low < -1900 * kYear || high > kFarthest) return {};
  const double least = (high - low) / static_cast<double>(about);
  constexpr std::array<double, 19> kSteps = {1,         2,    5,        10,       15,       30,       60,
                                             120,       300,  900,      1800,     3600,     3 * 3600, 6 * 3600,
                                             12 * 3600, kDay, 2 * kDay, 7 * kDay, 14 * kDay};
  for (const double step : kSteps) {
    if (step < least) continue;
    std::vector<Mark> marks;
    for (double i = std::ceil(low / step); i * step <= high; ++i) {
      marks.push_back({i * step, mark_text(i * step, step)});
    }
    return marks;
  }
  for (const int months : {1, 2, 3, 6}) {
    if (months * kMonth >= least) return month_marks(low, high, months, kMonth);
  }
  return month_marks(low, high, 12 * static_cast<int>(round_step(std::max(1.0, least / kYear))), kYear);
}

std::string time_text(double seconds) {
  if (!(seconds >= -1900 * kYear && seconds <= kFarthest)) return "–";
  const Moment moment = moment_of(seconds);
  const std::string date = month_text(moment) + "-" + two_digits(moment.day);
  return moment.second == 0 ? date : date + " " + clock_text(moment, moment.second % 60 != 0);
}

}  // namespace expose::cli

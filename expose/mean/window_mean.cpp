#include "expose/mean/window_mean.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "expose/base/error.hpp"

namespace expose {
namespace {

std::size_t valid_length(Window window) {
  require_valid(window);
  return window.length;
}

// Rows are equal if their bits are, so that one with a missing value can be found again; but 0 is -0.
bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

WindowMean::WindowMean(SharedMap map, Window window, Project project)
    : length_(valid_length(window)), project_(std::move(project)), mean_(std::move(map)) {}

void WindowMean::require_good(Rows rows) const {
  require_columns(rows, map().d(), "map");
  if (!project_ || !any_missing(rows)) require_finite(rows);
}

MeanMap WindowMean::sum_of(Rows rows, Pool* pool) const {
  MeanMap sums(shared_map());
  if (!project_ || !any_missing(rows)) {
    sums.add(rows, pool);
    return sums;
  }
  std::vector<float> features(map().size());
  for (std::size_t i = 0; i < rows.n(); ++i) {
    project_(rows.slice(i, i + 1), features);
    sums.add_features(features);
  }
  return sums;
}

void WindowMean::learn(Rows rows, Pool* pool) {
  require_good(rows);
  const Rows arriving = rows.slice(rows.n() - std::min(rows.n(), length_), rows.n());
  push(arriving, sum_of(arriving, pool), pool);
}

void WindowMean::learn_features(Rows row, std::span<const float> features) {
  require_columns(row, map().d(), "map");
  MeanMap sums(shared_map());
  sums.add_features(features);
  push(row, sums, nullptr);
}

// w_t = (1/min(t, l)) sum_{i > t - l} phi(x_i) = w_{t-1} + (1/l) phi(x_t) - (1/l) phi(x_{t-l}) once t > l.
// While t <= l it is the running mean (1/t) sum_{i <= t} phi(x_i): the paper's formula for t < l lacks its phi(x_i).
void WindowMean::push(Rows arriving, const MeanMap& sums, Pool* pool) {
  const std::size_t d = map().d();
  const std::size_t stay = std::min(held(), length_ - arriving.n());
  const std::size_t leave = held() - stay;

  // All that may fail comes before the first change.
  const MeanMap leaving = sum_of(this->rows().slice(0, leave), pool);
  std::vector<float> tail;  // a copy: the rows may be a view of this very buffer
  tail.reserve(arriving.n() * d);
  for (std::size_t i = 0; i < arriving.n(); ++i) tail.insert(tail.end(), arriving[i].begin(), arriving[i].end());
  const bool full = begin_ + held() + arriving.n() > 2 * length_;
  const std::size_t needed = (full ? stay : begin_ + held()) + arriving.n();
  if (needed * d > buffer_.capacity()) buffer_.reserve(std::min(2 * length_, 2 * needed) * d);

  mean_ += sums;
  mean_ -= leaving;
  begin_ += leave;
  if (full) {  // after l rows or more have left, so that a row is moved about once in its life
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ * d));
    begin_ = 0;
  }
  buffer_.insert(buffer_.end(), tail.begin(), tail.end());
}

std::vector<std::size_t> WindowMean::forget(Rows rows) {
  const std::size_t d = map().d();
  require_good(rows);
  std::vector<bool> gone(held(), false);
  const Rows window = this->rows();
  std::vector<float> left, forgotten;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    std::size_t at = 0;
    while (at < window.n() && (gone[at] || !std::ranges::equal(rows[i], window[at], same))) ++at;
    if (at == window.n()) {
      throw Error(Code::not_found, "row " + std::to_string(i + 1) + " of " + std::to_string(rows.n()) +
                                       " is not among the " + std::to_string(window.n()) + " rows in the window");
    }
    gone[at] = true;
  }
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < window.n(); ++at) {
    if (gone[at]) places.push_back(at);
    std::vector<float>& part = gone[at] ? forgotten : left;
    part.insert(part.end(), window[at].begin(), window[at].end());
  }
  mean_ -= sum_of(Rows(std::span<const float>(forgotten), d), nullptr);
  buffer_ = std::move(left);
  begin_ = 0;
  return places;
}

bool WindowMean::same_rows(const WindowMean& other) const {
  const Rows a = rows();
  const Rows b = other.rows();
  return a.n() == b.n() && a.d() == b.d() && std::equal(a.data(), a.data() + a.n() * a.d(), b.data(), same);
}

}  // namespace expose

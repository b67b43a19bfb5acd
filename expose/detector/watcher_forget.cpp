// How a watcher forgets: out of the rows it will plan from, out of its window, out of its mean.
#include <algorithm>
#include <cmath>

#include "expose/base/error.hpp"
#include "expose/detector/blocks.hpp"
#include "expose/detector/watcher.hpp"
#include "expose/detector/weights.hpp"

namespace expose {

Learned Watcher::forget(Records rows) {
  const Memory& memory = stream_ ? stream_->plan.memory() : options_.memory;
  if (std::holds_alternative<Fading>(memory)) {
    throw Error(Code::invalid_argument,
                "the memory " + name(memory) + " cannot forget rows: how much of a row is left is not known");
  }
  require_width(rows);
  foreseen_.reset();
  std::vector<std::size_t> good;
  Learned forgotten;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const bool unknown = is_unknown(rows, i, missing());
    (is_good(rows, i, missing()) ? good : unknown ? forgotten.unknown : forgotten.rejected).push_back(i);
  }
  if (good.empty()) return forgotten;
  if (!stream_) {
    forget_waiting(rows, good);
    forgotten.learned = good.size();
    return forgotten;
  }
  const std::size_t d = stream_->plan.d();
  std::vector<float> values, row(d);
  for (const std::size_t i : good) {
    stream_->plan.scaler().apply(rows.slice(i, i + 1), row);
    if (all_missing(row)) {
      forgotten.unknown.push_back(i);
    } else {
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  std::ranges::sort(forgotten.unknown);
  const Rows scaled(values, d);
  if (std::holds_alternative<WindowMean>(stream_->model)) {
    forget_in_window(scaled);
    forgotten.learned = scaled.n();
  } else {
    forget_in_mean(scaled, forgotten);
  }
  forgotten.landmarks = find_landmarks(stream_->plan, rows);
  return forgotten;
}

void Watcher::forget_waiting(const Records& rows, const std::vector<std::size_t>& good) {
  std::vector<double> left = first_rows_;
  for (const std::size_t i : good) {
    const auto equals = [&](std::size_t at) {
      for (std::size_t k = 0; k < columns_; ++k) {
        const double here = left[at * columns_ + k], wanted = rows.at(i, k);
        if (here != wanted && !(std::isnan(here) && std::isnan(wanted))) return false;
      }
      return true;
    };
    const std::size_t n = columns_ == 0 ? 0 : left.size() / columns_;
    std::size_t at = 0;
    while (at < n && !equals(at)) ++at;
    if (at == n) {
      throw Error(Code::not_found, "row " + std::to_string(i + 1) + " of " + std::to_string(rows.n()) +
                                       " is not among the " + std::to_string(remembered()) +
                                       " rows that wait for a plan");
    }
    const auto begin = left.begin() + static_cast<std::ptrdiff_t>(at * columns_);
    left.erase(begin, begin + static_cast<std::ptrdiff_t>(columns_));
  }
  first_rows_ = std::move(left);
}

void Watcher::forget_in_window(Rows scaled) {
  Stream& stream = *stream_;
  const std::vector<std::size_t> places = std::get<WindowMean>(stream.model).forget(scaled);
  std::deque<double> left;
  for (std::size_t at = 0; at < stream.similarities.size(); ++at) {
    if (std::ranges::binary_search(places, at)) {
      stream.calibration.subtract(stream.similarities[at]);
    } else {
      left.push_back(stream.similarities[at]);
    }
  }
  stream.similarities = std::move(left);
}

void Watcher::forget_in_mean(Rows scaled, Learned& forgotten) {
  Stream& stream = *stream_;
  const std::vector<char> passes = pass_gate(stream.plan, scaled);
  std::vector<float> inside;
  for (std::size_t i = 0; i < scaled.n(); ++i) {
    if (passes[i] != 0) inside.insert(inside.end(), scaled[i].begin(), scaled[i].end());
  }
  const Rows learned(inside, scaled.d());
  const auto outside = static_cast<std::int64_t>(scaled.n() - learned.n());
  if (outside > stream.turned_away) {
    throw Error(Code::not_found, "the rows to forget hold " + std::to_string(outside) +
                                     " that the gate keeps out, only " + std::to_string(stream.turned_away) +
                                     " of those have come");
  }
  MeanMap sums(stream.plan.map());
  add_rows(sums, stream.plan.parts().unknown, learned);
  std::get<MeanMap>(stream.model) -= sums;
  stream.turned_away -= outside;
  forgotten.learned = learned.n();
  forgotten.turned_away = scaled.n() - learned.n();
}

}  // namespace expose

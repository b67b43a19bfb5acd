// What all bindings share: rows without a copy, arrays that own their numbers, long calls without the GIL.
//
// The bindings only translate. Whatever is decided is decided in the library or in the Python package.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "expose/base/interrupt.hpp"
#include "expose/expose.hpp"

namespace expose::python {

namespace nb = nanobind;

void bind_base(nb::module_& m);
void bind_map(nb::module_& m);
void bind_mean(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_arrow_in(nb::module_& m);
void bind_arrow_out(nb::module_& m);
void bind_options(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_verdict(nb::module_& m);
void bind_detector(nb::module_& m);
void bind_watcher(nb::module_& m);

// Two dimensions, float32 or float64, rows without gaps inside: what the package hands in.
using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Groups = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Records records_of(const Matrix& matrix);
// Of float32 only.
Rows rows_of(const Matrix& matrix);

template <class Number>
std::span<const Number> span_of(const nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>& numbers) {
  return {numbers.data(), numbers.size()};
}
inline std::span<const double> span_of(const std::optional<Numbers>& numbers) {
  return numbers ? span_of(*numbers) : std::span<const double>();
}

// A NumPy array that takes the numbers over.
template <class Number>
nb::ndarray<nb::numpy, Number> array_of(std::vector<Number> numbers, std::initializer_list<std::size_t> shape) {
  auto* const kept = new std::vector<Number>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  return nb::ndarray<nb::numpy, Number>(kept->data(), shape, owner);
}
template <class Number>
nb::ndarray<nb::numpy, Number> array_of(std::vector<Number> numbers) {
  const std::size_t n = numbers.size();
  return array_of(std::move(numbers), {n});
}

// "alpha", "fdr", "contamination" or "top".
Threshold threshold_named(const std::string& its_name, double value);
// similarity, p_value, anomalous, status: four arrays.
nb::tuple arrays_of(const std::vector<Verdict>& verdicts);
// learned, turned_away, rejected, unknown, landmarks
nb::tuple tuple_of(Learned learned);

nb::bytes bytes_of(const std::vector<std::byte>& bytes);
std::span<const std::byte> span_of(const nb::bytes& bytes);

// Ctrl-C: what a signal handler throws. Looks only every twentieth of a second.
std::function<void()> look_for_signals();
// A Python callable that is told the rows done and stops the work by False; none for None.
Progress progress_of(const nb::object& callable);

// Without the GIL, interruptible.
template <class Work>
auto long_call(const Work& work) {
  const nb::gil_scoped_release release;
  const Interrupt interrupt(look_for_signals());
  return work();
}

// An object that Python threads and signal handlers share, copied on write. Whoever looks has it as it was then and
// holds no lock: a handler that Python runs meanwhile may look and change. The lock is held for changes alone; they are
// short, never look up and use no pool that others use, so that nobody who holds it waits for Python.
template <class T>
class Shared {
 public:
  explicit Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}

  // As it is now.
  std::shared_ptr<const T> now() const {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) {
      const nb::gil_scoped_release release;
      lock.lock();
    }
    return value_;
  }
  // Not copied before one of them changes.
  Shared* copy() const { return new Shared(std::const_pointer_cast<T>(now())); }

  template <class Work>
  auto look(const Work& work) const {
    const std::shared_ptr<const T> value = now();
    return long_call([&] { return work(*value); });
  }
  template <class Work>
  auto change(const Work& work) {
    const nb::gil_scoped_release release;
    return change_without_gil(work);
  }
  template <class Work>
  auto change_without_gil(const Work& work) {
    const Interrupt nobody([] {});
    const std::lock_guard lock(mutex_);
    return work(own());
  }
  // For work that is quicker than giving the GIL away, unless somebody else is at it.
  template <class Work>
  auto change_quickly(const Work& work) {
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
      const Interrupt nobody([] {});
      return work(own());
    }
    return change(work);
  }

 private:
  explicit Shared(std::shared_ptr<T> value) : value_(std::move(value)) {}

  // REQUIRES: the lock is held; only with it can others get hold of the value.
  T& own() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    std::atomic_thread_fence(std::memory_order_acquire);  // what those who looked have read, they have read before
    return *value_;
  }

  std::shared_ptr<T> value_;
  mutable std::mutex mutex_ = {};
};

using SharedMean = Shared<MeanMap>;

}  // namespace expose::python

// base/: rows, errors, signals.
#include <chrono>
#include <cstring>

#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

void require_rows_without_gaps(const Matrix& matrix) {
  if (matrix.shape(0) == 0 || matrix.shape(1) <= 1 || matrix.stride(1) == 1) return;
  throw Error(Code::invalid_argument, "the numbers of a row must lie side by side");
}

std::size_t stride_of(const Matrix& matrix) {
  // A single row may have any stride.
  return matrix.shape(0) <= 1 ? matrix.shape(1) : static_cast<std::size_t>(matrix.stride(0));
}

}  // namespace

Rows rows_of(const Matrix& matrix) {
  require_rows_without_gaps(matrix);
  if (matrix.dtype() != nb::dtype<float>()) throw Error(Code::invalid_argument, "rows must be of float32");
  return Rows(static_cast<const float*>(matrix.data()), matrix.shape(0), matrix.shape(1), stride_of(matrix));
}

Records records_of(const Matrix& matrix) {
  if (matrix.dtype() != nb::dtype<double>()) return rows_of(matrix);
  require_rows_without_gaps(matrix);
  return {static_cast<const double*>(matrix.data()), matrix.shape(0), matrix.shape(1), stride_of(matrix)};
}

nb::bytes bytes_of(const std::vector<std::byte>& bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::span<const std::byte> span_of(const nb::bytes& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()};
}

std::function<void()> look_for_signals() {
  using Clock = std::chrono::steady_clock;
  return [last = Clock::now()]() mutable {
    if (Clock::now() - last < std::chrono::milliseconds(50)) return;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    last = Clock::now();
  };
}

Progress progress_of(const nb::object& callable) {
  if (callable.is_none()) return {};
  return [callable](std::size_t rows_done) {
    const nb::gil_scoped_acquire acquire;
    return !callable(rows_done).is(nb::bool_(false));
  };
}

void bind_base(nb::module_& m) {
  // Kept for as long as the module is.
  static PyObject* const error_type = nb::object(nb::module_::import_("expose._error").attr("Error")).release().ptr();
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const nb::object instance = nb::handle(error_type)(error.what(), name(error.code()));
      PyErr_SetObject(error_type, instance.ptr());
    }
  });
  m.def("version", &version);
}

}  // namespace expose::python

// detector/watcher.hpp: streams.
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

using SharedWatcher = Shared<Watcher>;

// Rows between two looks for signals.
constexpr std::size_t kStride = 512;

// Between two strides others may look and change, handlers of signals among them.
std::vector<Verdict> watch_block(SharedWatcher& w, const Records& rows) {
  const nb::gil_scoped_release release;
  const Interrupt interrupt(look_for_signals());
  std::vector<Verdict> verdicts;
  verdicts.reserve(rows.n());
  for (std::size_t begin = 0; begin < rows.n(); begin += kStride) {
    const Records some = rows.slice(begin, std::min(begin + kStride, rows.n()));
    const std::vector<Verdict> said = w.change_without_gil([&](Watcher& watcher) { return watcher.watch(some); });
    verdicts.insert(verdicts.end(), said.begin(), said.end());
    look_up();
  }
  return verdicts;
}

template <class Number>
Verdict watch_row(SharedWatcher& w, const nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>& row) {
  return w.change_quickly([&](Watcher& watcher) { return watcher.watch(span_of(row)); });
}

Verdict peek_row(SharedWatcher& w, const Numbers& row) {
  return w.change_quickly([&](Watcher& watcher) { return watcher.peek(span_of(row)); });
}

}  // namespace

void bind_watcher(nb::module_& m) {
  using nb::arg;
  nb::class_<SharedWatcher> c(m, "Watcher");
  c.def("__init__",
        [](SharedWatcher* self, const Plan& plan, double alpha) { new (self) SharedWatcher(Watcher(plan, alpha)); })
      .def("__init__", [](SharedWatcher* self, const Options& options) { new (self) SharedWatcher(Watcher(options)); })
      .def("watch_row", &watch_row<double>, arg("row").noconvert())
      .def("watch_row", &watch_row<float>, arg("row").noconvert())
      .def("peek_row", &peek_row, arg("row").noconvert())
      .def(
          "watch",
          [](SharedWatcher& w, const Matrix& x) {
            const Records rows = records_of(x);
            return arrays_of(watch_block(w, rows));
          },
          arg("x"))
      .def(
          "judge",
          [](const SharedWatcher& w, const Matrix& x) {
            const Records rows = records_of(x);
            return arrays_of(w.look([&](const Watcher& watcher) { return watcher.judge(rows); }));
          },
          arg("x"))
      .def(
          "explain",
          [](const SharedWatcher& w, const Matrix& x, const std::optional<Groups>& groups) {
            const Records rows = records_of(x);
            const std::span<const std::uint32_t> of = groups ? span_of(*groups) : std::span<const std::uint32_t>();
            return array_of(w.look([&](const Watcher& watcher) { return watcher.explain(rows, of); }));
          },
          arg("x"), arg("groups").none())
      .def(
          "forget",
          [](SharedWatcher& w, const Matrix& x) {
            const Records rows = records_of(x);
            return tuple_of(w.change([&](Watcher& watcher) { return watcher.forget(rows); }));
          },
          arg("x"))
      .def_prop_ro("planned", [](const SharedWatcher& w) { return w.now()->planned(); })
      .def_prop_ro("plan", [](const SharedWatcher& w) { return w.now()->plan(); })
      .def_prop_ro("table", [](const SharedWatcher& w) { return w.now()->table(); })
      .def_prop_ro("rows", [](const SharedWatcher& w) { return w.now()->rows(); })
      .def_prop_ro("rejected", [](const SharedWatcher& w) { return w.now()->rejected(); })
      .def_prop_ro("unknown", [](const SharedWatcher& w) { return w.now()->unknown(); })
      .def_prop_ro("weight", [](const SharedWatcher& w) { return w.now()->weight(); })
      .def_prop_rw(
          "alpha", [](const SharedWatcher& w) { return w.now()->alpha(); },
          [](SharedWatcher& w, double alpha) { w.change([&](Watcher& x) { x.set_alpha(alpha); }); })
      .def("copy", [](const SharedWatcher& w) { return w.copy(); })
      .def(
          "__eq__", [](const SharedWatcher& a, const SharedWatcher& b) { return *a.now() == *b.now(); },
          nb::is_operator())
      .def("to_bytes",
           [](const SharedWatcher& w) {
             return bytes_of(w.look([](const Watcher& watcher) { return to_bytes(watcher); }));
           })
      .def("save", [](const SharedWatcher& w, const std::string& path) {
        w.look([&](const Watcher& watcher) { save(watcher, path); });
      });
  c.attr("__hash__") = nb::none();
  m.def("watcher_from_bytes", [](const nb::bytes& bytes) {
    return new SharedWatcher(long_call([&] { return watcher_from_bytes(span_of(bytes)); }));
  });
  m.def("load_watcher",
        [](const std::string& path) { return new SharedWatcher(long_call([&] { return load_watcher(path); })); });
}

}  // namespace expose::python

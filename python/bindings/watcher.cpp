// detector/watcher.hpp: streams.
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

using SharedWatcher = Shared<Watcher>;

// Rows between two looks for signals.
constexpr std::size_t kStride = 512;

std::vector<Verdict> watch_block(Watcher& watcher, const Records& rows) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(rows.n());
  for (std::size_t begin = 0; begin < rows.n(); begin += kStride) {
    const std::vector<Verdict> some = watcher.watch(rows.slice(begin, std::min(begin + kStride, rows.n())));
    verdicts.insert(verdicts.end(), some.begin(), some.end());
    look_up();
  }
  return verdicts;
}

// One row is quicker than giving the GIL away, unless somebody else is at work.
template <class Number>
Verdict watch_row(SharedWatcher& w, const nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>& row) {
  if (const std::unique_lock lock(w.mutex, std::try_to_lock); lock) return w.value.watch(span_of(row));
  return w.change([&](Watcher& watcher) { return watcher.watch(span_of(row)); });
}

Verdict peek_row(SharedWatcher& w, const Numbers& row) {
  if (const std::unique_lock lock(w.mutex, std::try_to_lock); lock) return w.value.peek(span_of(row));
  return w.change([&](Watcher& watcher) { return watcher.peek(span_of(row)); });
}

}  // namespace

void bind_watcher(nb::module_& m) {
  using nb::arg;
  nb::class_<SharedWatcher>(m, "Watcher")
      .def("__init__",
           [](SharedWatcher* self, const Plan& plan, double alpha) { new (self) SharedWatcher(Watcher(plan, alpha)); })
      .def("__init__", [](SharedWatcher* self, const Options& options) { new (self) SharedWatcher(Watcher(options)); })
      .def("watch_row", &watch_row<double>, arg("row").noconvert())
      .def("watch_row", &watch_row<float>, arg("row").noconvert())
      .def("peek_row", &peek_row, arg("row").noconvert())
      .def(
          "watch",
          [](SharedWatcher& w, const Matrix& x) {
            const Records rows = records_of(x);
            return arrays_of(w.change([&](Watcher& watcher) { return watch_block(watcher, rows); }));
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
      .def_prop_ro("planned",
                   [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.planned(); }); })
      .def_prop_ro("plan", [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.plan(); }); })
      .def_prop_ro("table", [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.table(); }); })
      .def_prop_ro("rows", [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.rows(); }); })
      .def_prop_ro("rejected",
                   [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.rejected(); }); })
      .def_prop_ro("unknown",
                   [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.unknown(); }); })
      .def_prop_ro("weight", [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.weight(); }); })
      .def_prop_rw(
          "alpha", [](const SharedWatcher& w) { return w.look([](const Watcher& x) { return x.alpha(); }); },
          [](SharedWatcher& w, double alpha) { w.change([&](Watcher& x) { x.set_alpha(alpha); }); })
      .def("copy", [](const SharedWatcher& w) { return new SharedWatcher(w.copy()); })
      .def("__eq__", [](const SharedWatcher& a, const SharedWatcher& b) { return a.copy() == b.copy(); })
      .def("to_bytes",
           [](const SharedWatcher& w) {
             return bytes_of(w.look([](const Watcher& watcher) { return to_bytes(watcher); }));
           })
      .def("save", [](const SharedWatcher& w, const std::string& path) {
        w.look([&](const Watcher& watcher) { save(watcher, path); });
      });
  m.def("watcher_from_bytes", [](const nb::bytes& bytes) {
    return new SharedWatcher(long_call([&] { return watcher_from_bytes(span_of(bytes)); }));
  });
  m.def("load_watcher",
        [](const std::string& path) { return new SharedWatcher(long_call([&] { return load_watcher(path); })); });
}

}  // namespace expose::python

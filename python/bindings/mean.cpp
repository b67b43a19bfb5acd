// mean/: the algebra.
#include <nanobind/operators.h>

#include "expose/base/pool.hpp"
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

// The rows as a mean of their own, made without a lock: adding it, or taking it out, is short.
MeanMap mean_of(const SharedMean& mean, const Rows& rows, const std::optional<Numbers>& weights) {
  MeanMap part(mean.now()->shared_map());
  return long_call([&] {
    Pool alone(1);  // block after block, so that it looks up
    weights ? part.add(rows, span_of(weights)) : part.add(rows, &alone);
    return std::move(part);
  });
}

template <class Work>
SharedMean* combined(const SharedMean& a, const SharedMean& b, const Work& work) {
  return new SharedMean(work(*a.now(), *b.now()));
}

void bind_algebra(nb::class_<SharedMean>& c) {
  c.def(
       "__add__",
       [](const SharedMean& a, const SharedMean& b) {
         return combined(a, b, [](const MeanMap& x, const MeanMap& y) { return x + y; });
       },
       nb::is_operator())
      .def(
          "__sub__",
          [](const SharedMean& a, const SharedMean& b) {
            return combined(a, b, [](const MeanMap& x, const MeanMap& y) { return x - y; });
          },
          nb::is_operator())
      .def(
          "__mul__", [](const SharedMean& a, double factor) { return new SharedMean(*a.now() * factor); },
          nb::is_operator())
      .def(
          "__eq__", [](const SharedMean& a, const SharedMean& b) { return *a.now() == *b.now(); }, nb::is_operator());
  c.attr("__hash__") = nb::none();
}

}  // namespace

void bind_mean(nb::module_& m) {
  using nb::arg;
  nb::class_<SharedMean> c(m, "MeanMap");
  c.def(
       "__init__",
       [](SharedMean* self, const std::shared_ptr<FeatureMap>& map) { new (self) SharedMean(MeanMap(SharedMap(map))); },
       arg("map"))
      .def_prop_ro("map",
                   [](const SharedMean& mean) { return std::const_pointer_cast<FeatureMap>(mean.now()->shared_map()); })
      .def_prop_ro("weight", [](const SharedMean& mean) { return mean.now()->weight(); })
      .def_prop_ro(
          "sum", [](const SharedMean& mean) { return array_of(mean.now()->sum()); }, nb::rv_policy::move)
      .def_prop_ro(
          "mean", [](const SharedMean& mean) { return array_of(mean.now()->mean()); }, nb::rv_policy::move)
      .def(
          "add",
          [](SharedMean& mean, const Matrix& x, const std::optional<Numbers>& weights) {
            const MeanMap more = mean_of(mean, rows_of(x), weights);
            mean.change([&](MeanMap& changed) { changed += more; });
          },
          arg("x"), arg("weights") = nb::none())
      .def(
          "subtract",
          [](SharedMean& mean, const Matrix& x, const std::optional<Numbers>& weights) {
            const MeanMap less = mean_of(mean, rows_of(x), weights);
            mean.change([&](MeanMap& changed) { changed -= less; });
          },
          arg("x"), arg("weights") = nb::none())
      .def("inner", [](const SharedMean& a, const SharedMean& b) { return inner(*a.now(), *b.now()); })
      .def("mmd", [](const SharedMean& a, const SharedMean& b) { return mmd(*a.now(), *b.now()); })
      .def("state",
           [](const SharedMean& mean) {
             const MeanMap::State state = mean.now()->state();
             return nb::make_tuple(state.weight, state.units_per_weight,
                                   array_of(std::vector<std::int64_t>(state.sums.begin(), state.sums.end())));
           })
      .def_static("from_state",
                  [](const std::shared_ptr<FeatureMap>& map, std::int64_t weight, std::int64_t units,
                     const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& sums) {
                    return new SharedMean(
                        MeanMap::from_state(SharedMap(map), {weight, units, {sums.data(), sums.data() + sums.size()}}));
                  })
      .def("copy", [](const SharedMean& mean) { return mean.copy(); });
  bind_algebra(c);
}

}  // namespace expose::python

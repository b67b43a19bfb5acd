// mean/: the algebra.
#include <nanobind/operators.h>

#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

void bind_mean(nb::module_& m) {
  using nb::arg;
  nb::class_<MeanMap>(m, "MeanMap")
      .def(
          "__init__", [](MeanMap* self, const std::shared_ptr<FeatureMap>& map) { new (self) MeanMap(SharedMap(map)); },
          arg("map"))
      .def_prop_ro("map", [](const MeanMap& mean) { return std::const_pointer_cast<FeatureMap>(mean.shared_map()); })
      .def_prop_ro("weight", &MeanMap::weight)
      .def_prop_ro(
          "sum", [](const MeanMap& mean) { return array_of(mean.sum()); }, nb::rv_policy::move)
      .def_prop_ro(
          "mean", [](const MeanMap& mean) { return array_of(mean.mean()); }, nb::rv_policy::move)
      .def(
          "add",
          [](MeanMap& mean, const Matrix& x, const std::optional<Numbers>& weights) {
            const Rows rows = rows_of(x);
            weights ? mean.add(rows, span_of(weights)) : mean.add(rows);
          },
          arg("x"), arg("weights") = nb::none())
      .def(
          "subtract",
          [](MeanMap& mean, const Matrix& x, const std::optional<Numbers>& weights) {
            const Rows rows = rows_of(x);
            weights ? mean.subtract(rows, span_of(weights)) : mean.subtract(rows);
          },
          arg("x"), arg("weights") = nb::none())
      .def("inner", [](const MeanMap& a, const MeanMap& b) { return inner(a, b); })
      .def("mmd", [](const MeanMap& a, const MeanMap& b) { return mmd(a, b); })
      .def("state",
           [](const MeanMap& mean) {
             const MeanMap::State& state = mean.state();
             return nb::make_tuple(state.weight, state.units_per_weight,
                                   array_of(std::vector<std::int64_t>(state.sums.begin(), state.sums.end())));
           })
      .def_static(
          "from_state",
          [](const std::shared_ptr<FeatureMap>& map, std::int64_t weight, std::int64_t units,
             const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& sums) {
            return MeanMap::from_state(SharedMap(map), {weight, units, {sums.data(), sums.data() + sums.size()}});
          })
      .def("copy", [](const MeanMap& mean) { return mean; })
      .def("__add__", [](const MeanMap& a, const MeanMap& b) { return a + b; })
      .def("__sub__", [](const MeanMap& a, const MeanMap& b) { return a - b; })
      .def("__mul__", [](const MeanMap& a, double factor) { return a * factor; })
      .def("__eq__", [](const MeanMap& a, const MeanMap& b) { return a == b; });
}

}  // namespace expose::python

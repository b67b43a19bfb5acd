// detector/plan.hpp, detector/tune.hpp: what is decided before learning.
#include <nanobind/stl/pair.h>

#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

std::vector<double> copy_of(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<Label> labels_of(std::span<const std::int8_t> codes) {
  std::vector<Label> labels;
  for (const std::int8_t code : codes) {
    labels.push_back(code < 0 ? Label::unlabelled : code == 0 ? Label::normal : Label::anomaly);
  }
  return labels;
}

void bind_tune(nb::module_& m) {
  nb::class_<Trial>(m, "Trial")
      .def_ro("options", &Trial::options)
      .def_ro("auc", &Trial::auc)
      .def_ro("gain", &Trial::gain)
      .def_ro("error", &Trial::error);
  nb::class_<Tuned>(m, "Tuned")
      .def_ro("options", &Tuned::options)
      .def_ro("auc", &Tuned::auc)
      .def_ro("auc_of_start", &Tuned::auc_of_start)
      .def_ro("anomalies", &Tuned::anomalies)
      .def_ro("normals", &Tuned::normals)
      .def_ro("trials", &Tuned::trials);
  m.def("tune",
        [](const Matrix& x, const nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& codes,
           const Options& start, bool fixed_kernel) {
          const Records rows = records_of(x);
          const std::vector<Label> labels = labels_of(span_of(codes));
          return long_call([&] { return tune(rows, labels, start, fixed_kernel); });
        });
}

}  // namespace

void bind_plan(nb::module_& m) {
  using nb::arg;
  nb::class_<Plan>(m, "Plan")
      .def_prop_ro("columns", &Plan::columns)
      .def_prop_ro("d", &Plan::d)
      .def_prop_ro("kernel", [](const Plan& plan) { return name(plan.kernel()); })
      .def_prop_ro("bandwidth", [](const Plan& plan) { return bandwidth(plan.kernel()); })
      .def_prop_ro("feature_map", [](const Plan& plan) { return std::const_pointer_cast<FeatureMap>(plan.map()); })
      .def_prop_ro("scale", [](const Plan& plan) { return name(plan.scaler().kind()); })
      .def_prop_ro(
          "kept", [](const Plan& plan) { return array_of(plan.scaler().kept()); }, nb::rv_policy::move)
      .def_prop_ro(
          "centre", [](const Plan& plan) { return array_of(copy_of(plan.scaler().centre())); }, nb::rv_policy::move)
      .def_prop_ro(
          "spread", [](const Plan& plan) { return array_of(copy_of(plan.scaler().spread())); }, nb::rv_policy::move)
      .def_prop_ro("memory", [](const Plan& plan) { return name(plan.memory()); })
      .def_prop_ro("missing", [](const Plan& plan) { return name(plan.missing()); })
      .def_prop_ro("has_gate", [](const Plan& plan) { return plan.parts().gate.has_value(); })
      .def_prop_ro("trim", [](const Plan& plan) { return plan.parts().trim; })
      .def_prop_ro("seed", [](const Plan& plan) { return plan.parts().seed; })
      .def_prop_ro("planned_on", [](const Plan& plan) { return plan.parts().planned_on; })
      .def_prop_ro("first_rows_only", [](const Plan& plan) { return plan.parts().first_rows_only; })
      .def_prop_ro("table", [](const Plan& plan) { return plan.table(); })
      .def_prop_ro("fingerprint", &Plan::fingerprint)
      .def("summary", &Plan::summary)
      .def("description", &Plan::description);
  m.def(
      "plan",
      [](const Matrix& x, const Options& options, const std::optional<Numbers>& weights) {
        const Records rows = records_of(x);
        return long_call([&] { return plan(rows, options, span_of(weights)); });
      },
      arg("x"), arg("options"), arg("weights").none());
  m.def(
      "plan_given",
      [](const Matrix& kernel, const Matrix& x, const Options& options, std::int64_t planned_on) {
        const Records matrix = records_of(kernel), rows = records_of(x);
        return long_call([&] { return plan_given(matrix, rows, options, planned_on); });
      },
      arg("kernel"), arg("x"), arg("options"), arg("planned_on"));
  bind_tune(m);
}

}  // namespace expose::python

// detector/verdict.hpp, calibrate/threshold.hpp: what is said about rows, and which of them are flagged.
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

Threshold threshold_named(const std::string& its_name, double value) {
  if (its_name == "fdr") return Fdr{value};
  if (its_name == "contamination") return Contamination{value};
  if (its_name == "top") return Top{value >= 1 ? static_cast<std::size_t>(value) : 0};
  return Alpha{value};
}

nb::tuple arrays_of(const std::vector<Verdict>& verdicts) {
  const std::size_t n = verdicts.size();
  std::vector<double> similarity(n), p_value(n);
  std::vector<std::uint8_t> anomalous(n), status(n);
  for (std::size_t i = 0; i < n; ++i) {
    similarity[i] = verdicts[i].similarity;
    p_value[i] = verdicts[i].p_value;
    anomalous[i] = verdicts[i].anomalous ? 1 : 0;
    status[i] = static_cast<std::uint8_t>(verdicts[i].status);
  }
  return nb::make_tuple(array_of(std::move(similarity)), array_of(std::move(p_value)), array_of(std::move(anomalous)),
                        array_of(std::move(status)));
}

void bind_verdict(nb::module_& m) {
  using nb::arg;
  nb::class_<Verdict>(
      m, "Verdict", nb::is_final(),
      "What is said about a row: similarity (high = normal), p_value (share of normal rows at least this "
      "unlike), anomalous, and status (ok, learning, unknown or rejected).")
      .def(
          "__init__",
          [](Verdict* self, double similarity, double p_value, bool anomalous, std::uint8_t status) {
            new (self) Verdict{similarity, p_value, anomalous, static_cast<Status>(status)};
          },
          arg("similarity"), arg("p_value"), arg("anomalous"), arg("status") = 0)
      .def_ro("similarity", &Verdict::similarity)
      .def_ro("p_value", &Verdict::p_value)
      .def_ro("anomalous", &Verdict::anomalous)
      .def_prop_ro("status", [](const Verdict& verdict) { return name(verdict.status); })
      .def(
          "__eq__", [](const Verdict& a, const Verdict& b) { return a == b; }, nb::is_operator())
      .def("__hash__",
           [](const Verdict& v) {
             return nb::hash(nb::make_tuple(v.similarity, v.p_value, v.anomalous, static_cast<std::uint8_t>(v.status)));
           })
      .def("__getstate__",
           [](const Verdict& v) {
             return nb::make_tuple(v.similarity, v.p_value, v.anomalous, static_cast<std::uint8_t>(v.status));
           })
      .def("__setstate__",
           [](Verdict& self, const nb::tuple& state) {
             new (&self) Verdict{nb::cast<double>(state[0]), nb::cast<double>(state[1]), nb::cast<bool>(state[2]),
                                 static_cast<Status>(nb::cast<std::uint8_t>(state[3]))};
           })
      .def("__repr__", [](const Verdict& v) {
        const nb::str form("Verdict(similarity={:.6g}, p_value={:.6g}, anomalous={}, status={!r})");
        return form.attr("format")(v.similarity, v.p_value, v.anomalous, name(v.status));
      });
  m.def("much_looks_anomalous", [](const Numbers& p_values) { return much_looks_anomalous(span_of(p_values)); });
  m.def(
      "flag",
      [](const Numbers& p_values, const Numbers& similarities,
         const nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& eligible,
         const std::string& its_name, double value) {
        const std::vector<char> ok(eligible.data(), eligible.data() + eligible.size());
        const std::vector<char> flags =
            flag(span_of(p_values), span_of(similarities), ok, threshold_named(its_name, value));
        return array_of(std::vector<std::uint8_t>(flags.begin(), flags.end()));
      },
      arg("p_values"), arg("similarities"), arg("eligible"), arg("threshold"), arg("value"));
}

}  // namespace expose::python

// detector/options.hpp: everything a user may choose, by name.
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

template <class Name>
std::optional<std::string> name_if(const std::optional<Name>& value) {
  return value ? std::optional(name(*value)) : std::nullopt;
}

}  // namespace

void bind_options(nb::module_& m) {
  using nb::arg;
  nb::class_<Options>(m, "Options")
      .def(nb::init<>())
      .def_prop_rw(
          "kernel", [](const Options& o) { return name(o.kernel); },
          [](Options& o, const std::string& its_name) { o.kernel = kernel_named(its_name, 0); })
      .def_rw("bandwidth", &Options::bandwidth, arg().none())
      .def_prop_rw(
          "map", [](const Options& o) { return name_if(o.map); },
          [](Options& o, std::optional<std::string> its_name) {
            o.map = its_name ? std::optional(map_named(*its_name)) : std::nullopt;
          },
          arg().none())
      .def_rw("r", &Options::r, arg().none())
      .def_prop_rw(
          "scale", [](const Options& o) { return name_if(o.scale); },
          [](Options& o, std::optional<std::string> its_name) {
            o.scale = its_name ? std::optional(scale_named(*its_name)) : std::nullopt;
          },
          arg().none())
      .def_prop_rw(
          "memory", [](const Options& o) { return name(o.memory); },
          [](Options& o, const std::string& its_name) { o.memory = memory_named(its_name); })
      .def_rw("trim", &Options::trim, arg().none())
      .def_prop_rw(
          "missing", [](const Options& o) { return name(o.missing); },
          [](Options& o, const std::string& its_name) { o.missing = missing_named(its_name); })
      .def_rw("alpha", &Options::alpha)
      .def_rw("fdr", &Options::fdr, arg().none())
      .def_rw("contamination", &Options::contamination, arg().none())
      .def_rw("top", &Options::top, arg().none())
      .def_rw("seed", &Options::seed)
      .def_rw("threads", &Options::threads)
      .def_prop_rw(
          "preset", [](const Options& o) { return name(o.preset); },
          [](Options& o, const std::string& its_name) { o.preset = preset_named(its_name); })
      .def_rw("table", &Options::table, arg().none())
      .def("require_valid", [](const Options& o) { require_valid(o); });
}

}  // namespace expose::python

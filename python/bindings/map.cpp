// map/: feature maps.
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

std::vector<float> project(const FeatureMap& map, const Rows& rows) {
  std::vector<float> features(rows.n() * map.size());
  map.project(rows, features);
  return features;
}

}  // namespace

void bind_map(nb::module_& m) {
  using nb::arg;
  nb::class_<FeatureMap>(m, "FeatureMap")
      .def_prop_ro("kind", [](const FeatureMap& map) { return name(map.recipe().kind); })
      .def_prop_ro("d", &FeatureMap::d)
      .def_prop_ro("r", &FeatureMap::r)
      .def_prop_ro("size", &FeatureMap::size)
      .def_prop_ro("kernel_name", [](const FeatureMap& map) { return name(map.kernel()); })
      .def_prop_ro("bandwidth", [](const FeatureMap& map) { return bandwidth(map.kernel()); })
      .def_prop_ro("seed", [](const FeatureMap& map) { return map.recipe().seed; })
      .def_prop_ro("fingerprint", &FeatureMap::fingerprint)
      .def_prop_ro(
          "landmarks",
          [](const FeatureMap& map) {
            const std::vector<float>& landmarks = map.recipe().landmarks;
            return array_of(landmarks, {landmarks.size() / map.d(), map.d()});
          },
          nb::rv_policy::move)
      .def(
          "project",
          [](const FeatureMap& map, const Matrix& x) {
            const Rows rows = rows_of(x);
            std::vector<float> features = long_call([&] { return project(map, rows); });
            return array_of(std::move(features), {rows.n(), map.size()});
          },
          arg("x"))
      .def(
          "kernel",
          [](const FeatureMap& map, const Matrix& a, const Matrix& b) {
            const Rows x = rows_of(a), z = rows_of(b);
            std::vector<double> matrix = long_call([&] { return kernel_matrix(map, x, z); });
            return array_of(std::move(matrix), {x.n(), z.n()});
          },
          arg("a"), arg("b"));
  m.def(
      "make_map",
      [](const std::string& kind, std::size_t d, std::size_t r, const std::string& kernel, double bandwidth,
         std::uint64_t seed, const std::optional<Matrix>& landmarks) {
        Recipe recipe{.kind = map_named(kind), .d = d, .r = r, .kernel = kernel_named(kernel, bandwidth), .seed = seed};
        if (landmarks) {
          const Rows rows = rows_of(*landmarks);
          for (std::size_t i = 0; i < rows.n(); ++i) {
            recipe.landmarks.insert(recipe.landmarks.end(), rows[i].begin(), rows[i].end());
          }
        }
        return std::const_pointer_cast<FeatureMap>(make_map(std::move(recipe)));
      },
      arg("kind"), arg("d"), arg("r"), arg("kernel"), arg("bandwidth"), arg("seed"), arg("landmarks").none());
}

}  // namespace expose::python

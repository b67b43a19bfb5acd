// map/: feature maps.
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

// Rows between two looks up.
constexpr std::size_t kStride = 512;

// Not filled with zeros first: of gigabytes that alone takes long.
std::unique_ptr<float[]> project(const FeatureMap& map, const Rows& rows) {
  auto features = std::make_unique_for_overwrite<float[]>(rows.n() * map.size());
  for (std::size_t begin = 0; begin < rows.n(); begin += kStride) {
    look_up();
    const std::size_t end = std::min(begin + kStride, rows.n());
    map.project(rows.slice(begin, end), std::span(features.get() + begin * map.size(), (end - begin) * map.size()));
  }
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
            float* const features = long_call([&] { return project(map, rows); }).release();
            const nb::capsule owner(features, [](void* p) noexcept { delete[] static_cast<float*>(p); });
            return nb::ndarray<nb::numpy, float>(features, {rows.n(), map.size()}, owner);
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

#include "expose/map/feature_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "expose/base/bytes.hpp"
#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"
#include "expose/map/maps.hpp"
#include "expose/simd/target.hpp"

namespace expose {

namespace {

constexpr std::array<const char*, 4> kKindNames = {"fourier", "sorf", "fastfood", "nystrom"};

std::uint64_t hash_of(const Recipe& recipe) {
  Writer writer;
  writer.text("expose map 1");
  write_recipe(writer, recipe);
  return hash64(writer.bytes());
}

void require_landmarks(const Recipe& recipe) {
  if (recipe.kind != MapKind::nystrom) {
    if (recipe.landmarks.empty()) return;
    throw Error(Code::invalid_argument, "only nystrom has landmarks, the map is " + name(recipe.kind));
  }
  if (recipe.landmarks.size() / recipe.d != recipe.r || recipe.landmarks.size() % recipe.d != 0) {
    throw Error(Code::shape_mismatch, "nystrom needs r x d = " + std::to_string(recipe.r) + " x " +
                                          std::to_string(recipe.d) + " numbers for its landmarks, it was given " +
                                          std::to_string(recipe.landmarks.size()));
  }
  require_finite(Rows(recipe.landmarks, recipe.d));
}

void require_valid(const Recipe& recipe) {
  if (recipe.d == 0) throw Error(Code::invalid_argument, "a map needs at least 1 column, d is 0");
  if (recipe.r == 0) throw Error(Code::invalid_argument, "a map needs at least 1 frequency or landmark, r is 0");
  require_valid(recipe.kernel);
  const bool structured = recipe.kind == MapKind::sorf || recipe.kind == MapKind::fastfood;
  if (structured && !rotation_invariant(recipe.kernel)) {
    throw Error(Code::invalid_argument, "there is no " + name(recipe.kind) + " map of the " + name(recipe.kernel) +
                                            " kernel, which is not rotation invariant; use fourier or nystrom");
  }
  require_landmarks(recipe);
}

}  // namespace

void write_recipe(Writer& writer, const Recipe& recipe) {
  writer.text(name(recipe.kind));
  writer.u64(recipe.d);
  writer.u64(recipe.r);
  writer.text(name(recipe.kernel));
  writer.f64(bandwidth(recipe.kernel));
  writer.u64(recipe.seed);
  writer.f32s(recipe.landmarks);
}

std::string name(MapKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

MapKind map_named(const std::string& name) {
  const auto* const found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) {
    throw Error(Code::invalid_argument, "there is no map '" + name + "'; it may be fourier, sorf, fastfood or nystrom");
  }
  return static_cast<MapKind>(found - kKindNames.begin());
}

FeatureMap::FeatureMap(Recipe recipe, Layout layout)
    : recipe_(std::move(recipe)), layout_(std::move(layout)), fingerprint_(hash_of(recipe_)) {
  simd::obey_environment();
}

void FeatureMap::require_rows(Rows rows, std::size_t outputs, std::size_t wanted) const {
  require_columns(rows, d(), "map");
  if (outputs != wanted) {
    throw Error(Code::shape_mismatch,
                "the output has room for " + std::to_string(outputs) + " numbers, " + std::to_string(wanted) + " come");
  }
  require_finite(rows);
}

void FeatureMap::project(Rows rows, std::span<float> features) const {
  if (rows.empty()) return;
  require_rows(rows, features.size(), rows.n() * size());
  do_project(rows, features.data());
}

void FeatureMap::accumulate(Rows rows, std::span<std::int64_t> sums) const {
  if (rows.empty()) return;
  require_rows(rows, sums.size(), size());
  do_accumulate(rows, sums.data());
}

void FeatureMap::similarity(Rows rows, const Folded& folded, std::span<double> eta) const {
  if (rows.empty()) return;
  require_rows(rows, eta.size(), rows.n());
  if (folded.map != fingerprint_) {
    throw Error(Code::incompatible, "this mean was folded by the map " + hex(folded.map) + ", not by the map " +
                                        hex(fingerprint_) + " that is asked");
  }
  do_similarity(rows, folded, eta.data());
}

Folded FeatureMap::fold(std::span<const double> mean) const {
  if (mean.size() != size()) {
    throw Error(Code::shape_mismatch, "the mean has " + std::to_string(mean.size()) + " numbers, the map " +
                                          std::to_string(size()) + " features");
  }
  Folded folded = do_fold(mean);
  folded.map = fingerprint_;
  return folded;
}

SharedMap make_map(Recipe recipe) {
  require_valid(recipe);
  switch (recipe.kind) {
    case MapKind::fourier:
      return make_random_fourier(recipe);
    case MapKind::sorf:
    case MapKind::fastfood:
      return make_structured(std::move(recipe));
    case MapKind::nystrom:
      break;
  }
  recipe.seed = 0;  // landmarks are all there is
  return make_nystrom(recipe);
}

std::vector<double> kernel_matrix(const FeatureMap& map, Rows x, Rows z) {
  std::vector<float> features(x.n() * map.size());
  map.project(x, features);
  std::vector<double> matrix(x.n() * z.n());
  std::vector<float> other(map.size());
  for (std::size_t j = 0; j < z.n(); ++j) {
    map.project(z.slice(j, j + 1), other);
    const std::vector<double> dual = map.dual(std::vector<double>(other.begin(), other.end()));
    for (std::size_t i = 0; i < x.n(); ++i) {
      double sum = 0;  // <phi(x_i), phi(z_j)>
      for (std::size_t f = 0; f < map.size(); ++f) sum += static_cast<double>(features[i * map.size() + f]) * dual[f];
      matrix[i * z.n() + j] = sum;
    }
  }
  return matrix;
}

}  // namespace expose

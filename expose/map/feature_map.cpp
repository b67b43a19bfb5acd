#include "expose/map/feature_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "expose/base/bytes.hpp"
#include "expose/base/error.hpp"
#include "expose/base/hash.hpp"
#include "expose/base/text.hpp"
#include "expose/map/maps.hpp"
#include "expose/simd/features.hpp"
#include "expose/simd/scratch.hpp"
#include "expose/simd/target.hpp"

namespace expose {

namespace {

constexpr std::array<const char*, 6> kKindNames = {"fourier", "sorf", "fastfood", "nystrom", "isolation", "given"};

std::uint64_t hash_of(const Recipe& recipe) {
  Writer writer;
  writer.text("expose map 1");
  write_recipe(writer, recipe);
  return hash64(writer.bytes());
}

void require_landmarks(const Recipe& recipe) {
  if (!has_landmarks(recipe.kind)) {
    if (recipe.landmarks.empty()) return;
    throw Error(Code::invalid_argument,
                "only nystrom, isolation and given have landmarks, the map is " + name(recipe.kind));
  }
  if (recipe.landmarks.size() / recipe.d != recipe.r || recipe.landmarks.size() % recipe.d != 0) {
    throw Error(Code::shape_mismatch, name(recipe.kind) + " needs r x d = " + std::to_string(recipe.r) + " x " +
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
  if (found == kKindNames.end()) {  // nobody chooses `given`: it comes with a kernel of one's own
    throw Error(Code::invalid_argument,
                "there is no map '" + name + "'; it may be fourier, sorf, fastfood, nystrom or isolation");
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

double FeatureMap::watch(std::span<const float> row, std::span<std::int64_t> sums) const {
  require_rows(Rows(row, row.size()), sums.size(), size());
  return do_watch(row, sums.data()) * kGrid;
}

double FeatureMap::do_watch(std::span<const float> row, std::int64_t* sums) const {
  float* const features = simd::room(simd::scratch().watched, size());
  do_project(Rows(row, d()), features);
  return simd::watch(features, size(), sums);
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

bool integrates(MapKind kind, const Kernel& kernel) {
  if (!has_kernel(kind)) return false;
  return kind != MapKind::nystrom || std::holds_alternative<Gaussian>(kernel);
}

void FeatureMap::require_variances(Rows variances) const {
  if (!integrates()) {
    throw Error(Code::invalid_argument,
                name(recipe_.kind) + " has no closed form of the " + name(recipe_.kernel) +
                    " kernel for rows with error bars or missing values; use the gaussian kernel with nystrom, "
                    "or fourier as the map");
  }
  require_columns(variances, d(), "map");
  for (std::size_t i = 0; i < variances.n(); ++i) {
    for (std::size_t k = 0; k < variances.d(); ++k) {
      const float v = variances[i][k];
      if (v >= 0 && std::isfinite(v)) continue;
      throw Error(Code::invalid_argument, "a variance is a number from 0 on, that of row " + std::to_string(i + 1) +
                                              ", column " + std::to_string(k + 1) + " is " +
                                              text(static_cast<double>(v)));
    }
  }
}

void FeatureMap::project_expected(Rows rows, Rows variances, std::span<float> features) const {
  if (rows.empty() && variances.empty()) return;
  require_variances(variances);
  if (rows.n() != variances.n()) {
    throw Error(Code::shape_mismatch, "there are " + std::to_string(rows.n()) + " rows and variances of " +
                                          std::to_string(variances.n()) + " rows");
  }
  require_rows(rows, features.size(), rows.n() * size());
  do_project_expected(rows, variances, features.data());
}

double FeatureMap::own_similarity(std::span<const float> variances) const {
  const Rows row(variances.data(), 1, variances.size());
  require_variances(row);
  const bool structured = recipe_.kind == MapKind::sorf || recipe_.kind == MapKind::fastfood;
  if (const auto* const gaussian = std::get_if<Gaussian>(&recipe_.kernel); gaussian != nullptr && !structured) {
    double own = 1;
    for (const float v : variances) {
      own /= std::sqrt(1 + 2 * static_cast<double>(v) / (gaussian->bandwidth * gaussian->bandwidth));
    }
    return own;
  }
  // (1/r) sum_j exp(-1/2 sum_k w_jk^2 v_k)^2: at the origin all cosines are 1 and all sines 0.
  const std::vector<float> origin(d(), 0.0F);
  std::vector<float> features(size());
  do_project_expected(Rows(origin, d()), row, features.data());
  double sum = 0;
  for (std::size_t j = 0; j < r(); ++j) sum += static_cast<double>(features[j]) * static_cast<double>(features[j]);
  return sum / static_cast<double>(r());
}

std::unique_ptr<const SimilarityWithout> FeatureMap::similarity_without(const Folded& /*folded*/,
                                                                        const UnknownFeatures& /*unknown*/) const {
  return nullptr;
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
      recipe.seed = 0;  // landmarks are all there is
      return make_nystrom(recipe);
    case MapKind::given:
      recipe.seed = 0;
      recipe.kernel = Gaussian{1.0};
      return make_given(recipe);
    case MapKind::isolation:
      break;
  }
  recipe.seed = 0;
  recipe.kernel = Gaussian{1.0};
  return make_isolation(recipe);
}

std::vector<float> dual_in_floats(const FeatureMap& map, std::span<const double> mean) {
  const std::vector<double> dual = map.dual(mean);
  std::vector<float> rounded(dual.size());
  std::ranges::transform(dual, rounded.begin(), [](double value) { return static_cast<float>(value); });
  return rounded;
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

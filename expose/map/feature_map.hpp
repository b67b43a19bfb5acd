// FeatureMap: phi, with k(x, z) = <phi(x), phi(z)> approximately (paper, section "Approximate Feature Maps").
//
// Features are bounded numbers on the grid 2^-22, so that sums of them are exact in 64-bit integers. They are
// raw: the metric of the inner product (1/r for random maps, K^+ for Nystrom, 1/t for isolation) enters only in `dual`.
//   random maps:  phi = (cos p_1 .. cos p_r, sin p_1 .. sin p_r),   p_j = <w_j, x>,   size() = 2 r
//   Nystrom:      phi = (k(x_1, x) .. k(x_r, x)), x_j the landmarks,                  size() = r
//   isolation:    phi_j = 1 where x lies in the cell of landmark x_j, else 0,         size() = r
//   given:        phi = x: rows are kernel vectors already, of a kernel that only the caller knows; like Nystrom else
//
// Immutable and shared: any number of threads may use one map at the same time. The same recipe gives the same
// bits on every CPU, for one row or a block of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expose/base/aligned.hpp"
#include "expose/base/rows.hpp"
#include "expose/map/kernel.hpp"

namespace expose {

enum class MapKind : std::uint8_t { fourier, sorf, fastfood, nystrom, isolation, given };

EXPOSE_API std::string name(MapKind kind);
// Throws Code::invalid_argument, naming the kinds, for any other name.
EXPOSE_API MapKind map_named(const std::string& name);
// Whether a map of this kind is made of rows of the data and not drawn from a seed.
inline bool has_landmarks(MapKind kind) {
  return kind == MapKind::nystrom || kind == MapKind::isolation || kind == MapKind::given;
}
// Whether the metric of the map is K^+ and no multiple of 1.
inline bool sees_landmarks(MapKind kind) { return kind == MapKind::nystrom || kind == MapKind::given; }
// Whether the map is one of a kernel of columns; isolation is a kernel of its own, and that of `given` nobody knows.
inline bool has_kernel(MapKind kind) { return kind != MapKind::isolation && kind != MapKind::given; }
// Whether a map of this kind has a closed form for rows with error bars or missing values: all but isolation, given,
// and Nystrom with a kernel that is not Gaussian.
EXPOSE_API bool integrates(MapKind kind, const Kernel& kernel);

// All that a map is. Random maps are drawn from the seed; Nystrom and isolation have landmarks (r rows of d numbers)
// instead. Isolation is a kernel of its own: make_map sets `kernel` to Gaussian{1}, which means nothing there. So for
// given, whose landmarks are the matrix K = (k(x_i, x_j)), d = r.
struct Recipe {
  MapKind kind = MapKind::fourier;
  std::size_t d = 0;
  std::size_t r = 0;
  Kernel kernel = Gaussian{};
  std::uint64_t seed = 0;
  std::vector<float> landmarks = {};
  bool operator==(const Recipe&) const = default;

  // Number of features: 2 r for random maps, r for those with landmarks.
  std::size_t size() const { return has_landmarks(kind) ? r : 2 * r; }
};

// A mean in the form that judging wants: for random maps a cos p + b sin p = A cos(p - theta), one cosine a
// frequency; for Nystrom the weights alpha = K^+ m; for isolation m / t. Made by FeatureMap::fold, read by the map that
// made it.
struct Folded {
  std::uint64_t map = 0;  // the fingerprint of that map
  AlignedVector<float> amplitude;
  AlignedVector<float> start;
};

// The features of a row, one or more columns each, and what a column holds where nobody has looked: N(mean, variance).
struct UnknownFeatures {
  std::vector<float> mean;           // [d]
  std::vector<float> variance;       // [d]
  std::vector<std::uint32_t> group;  // [d]: to which feature a column belongs
  std::size_t features = 0;
};

// eta of a row with each feature unknown in turn, and last with none: features + 1 numbers. Immutable, good as long as
// the map that made it.
class EXPOSE_API SimilarityWithout {
 public:
  virtual ~SimilarityWithout() = default;
  // REQUIRES: a finite row of d numbers
  virtual void of(std::span<const float> row, std::span<double> eta) const = 0;
};

class EXPOSE_API FeatureMap {
 public:
  // Values further out than this many bandwidths are held there: beyond it a phase has no digits left.
  static constexpr float kReach = 65536.0F;
  // One unit of the grid: features are multiples of 2^-22.
  static constexpr double kGrid = 0x1p-22;

  virtual ~FeatureMap() = default;
  FeatureMap(const FeatureMap&) = delete;
  FeatureMap& operator=(const FeatureMap&) = delete;

  const Recipe& recipe() const { return recipe_; }
  std::size_t d() const { return recipe_.d; }
  std::size_t r() const { return recipe_.r; }
  const Kernel& kernel() const { return recipe_.kernel; }
  std::size_t size() const { return recipe_.size(); }
  // How many frequencies are drawn together: 1 for fourier, the block size for structured maps, the landmarks of a
  // partition for isolation, 0 for Nystrom, which has no Monte Carlo error.
  std::size_t block() const { return layout_.block; }
  // Which block frequency j was drawn in. REQUIRES: j < r(), block() > 0
  std::size_t block_of(std::size_t j) const { return layout_.block_of.empty() ? j : layout_.block_of[j]; }
  // Hash of the recipe: equal for equal maps, on every machine.
  std::uint64_t fingerprint() const { return fingerprint_; }

  // phi(x_i), size() floats a row, row after row. Throws on a wrong width, on NaN and infinity.
  void project(Rows rows, std::span<float> features) const;

  // sums_j += sum_i phi_j(x_i), in units of kGrid: exactly the sum of what `project` gives.
  // Throws as project does, before the first addition.
  void accumulate(Rows rows, std::span<std::int64_t> sums) const;

  // A row of a stream: sum_j phi_j(x) sums_j in units of kGrid, for the sums before it; then `accumulate` of it. One
  // pass for both. Throws as project does.
  double watch(std::span<const float> row, std::span<std::int64_t> sums) const;

  // eta(x_i) = <phi(x_i), mean> for the mean that was folded, by this map. Throws as project does.
  void similarity(Rows rows, const Folded& folded, std::span<double> eta) const;

  // Rows that are known only up to error bars, x ~ N(row, diag(variance)): E phi(x), on the grid like phi itself, so
  // that what is learned from them stays exact. Where a row has no variance, its features are those of `project`.
  //   random maps:  cos p_j and sin p_j times exp(-1/2 sum_k w_jk^2 v_k), exact for every kernel. Structured maps put
  //                 |w_j|^2 / D for w_jk^2, right on average over k: a Gaussian similarity is then too small by the
  //                 share 0.01 for each coordinate with v = s^2 / 4, by 0.14 for each with v = s^2.
  //   Nystrom:      prod_k (1 + v_k / s^2)^-1/2 exp(-1/2 (x_k - z_jk)^2 / (s^2 + v_k)), Gaussian only
  // Throws as project does, for variances of another shape or below 0, and where integrates() is false.
  void project_expected(Rows rows, Rows variances, std::span<float> features) const;
  // Whether the map has a closed form for E phi.
  bool integrates() const { return expose::integrates(recipe_.kind, recipe_.kernel); }
  // |E phi(x)|^2 = <E phi(x), E phi(x')>, x' an independent copy: what a row adds to its own similarity, 1 without
  // error bars. prod_k (1 + 2 v_k / s^2)^-1/2 for the Gaussian kernel, but for structured maps, which
  // add what they say above. Throws as project_expected does.
  double own_similarity(std::span<const float> variances) const;
  // k(x, x): 1, but for isolation, where a row outside of all balls of a partition is not even like itself there.
  // REQUIRES: a finite row of d numbers
  virtual double self_similarity(std::span<const float>) const { return 1.0; }

  // E eta with each feature unknown in turn, where the map can share the work among them: O(r d) for all. Null for the
  // others (structured maps, isolation, Nystrom with a kernel that is not Gaussian).
  // REQUIRES: folded by this map; groups < features
  virtual std::unique_ptr<const SimilarityWithout> similarity_without(const Folded& folded,
                                                                      const UnknownFeatures& unknown) const;

  // The mean in the form that `similarity` wants. Throws Code::shape_mismatch unless it has size() numbers.
  Folded fold(std::span<const double> mean) const;

  // The mean under the metric of the map: <a, b> = sum_j a_j dual(b)_j. REQUIRES: mean.size() == size()
  virtual std::vector<double> dual(std::span<const double> mean) const = 0;

 protected:
  struct Layout {
    std::size_t block = 0;                     // see block()
    std::vector<std::uint32_t> block_of = {};  // see block_of(); empty: frequency j is its own block
  };
  FeatureMap(Recipe recipe, Layout layout);

  // Called with a finite row of d numbers and size() sums.
  virtual double do_watch(std::span<const float> row, std::int64_t* sums) const;

 private:
  // Called with at least one row, of the right width, all finite.
  virtual void do_project(Rows rows, float* features) const = 0;
  virtual void do_accumulate(Rows rows, std::int64_t* sums) const = 0;
  virtual void do_project_expected(Rows, Rows, float*) const {}  // called only where integrates()
  virtual Folded do_fold(std::span<const double> mean) const = 0;
  virtual void do_similarity(Rows rows, const Folded& folded, double* eta) const = 0;

  void require_rows(Rows rows, std::size_t outputs, std::size_t wanted) const;
  void require_variances(Rows variances) const;

  Recipe recipe_;
  Layout layout_;
  std::uint64_t fingerprint_;
};

using SharedMap = std::shared_ptr<const FeatureMap>;

// Builds the map of a recipe. Throws Code::invalid_argument for what cannot be: no columns, r = 0, a bandwidth that is
// not positive, a structured map of a kernel that is not rotation invariant, landmarks of the wrong number.
EXPOSE_API SharedMap make_map(Recipe recipe);

// dual(mean), rounded to float as features are.
std::vector<float> dual_in_floats(const FeatureMap& map, std::span<const double> mean);

// k(x_i, z_j) as the map sees it: <phi(x_i), phi(z_j)>, x.n() rows of z.n() numbers.
EXPOSE_API std::vector<double> kernel_matrix(const FeatureMap& map, Rows x, Rows z);

}  // namespace expose

// FeatureMap: phi, with k(x, z) = <phi(x), phi(z)> approximately (paper, section "Approximate Feature Maps").
//
// Features are bounded numbers on the grid 2^-22, so that sums of them are exact in 64-bit integers. They are
// raw: the metric of the inner product (1/r for random maps, K^+ for Nystrom) enters only in `dual`.
//   random maps:  phi = (cos p_1 .. cos p_r, sin p_1 .. sin p_r),   p_j = <w_j, x>,   size() = 2 r
//   Nystrom:      phi = (k(x_1, x) .. k(x_r, x)), x_j the landmarks,                  size() = r
//
// Immutable and shared: any number of threads may use one map at the same time. The same recipe gives the same
// bits on every CPU, for one row or a block of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expose/base/rows.hpp"
#include "expose/map/kernel.hpp"

namespace expose {

enum class MapKind : std::uint8_t { fourier, sorf, fastfood, nystrom };

EXPOSE_API std::string name(MapKind kind);
// Throws Code::invalid_argument, naming the four kinds, for any other name.
EXPOSE_API MapKind map_named(const std::string& name);

// All that a map is. Random maps are drawn from the seed; Nystrom has its landmarks (r rows of d numbers) instead.
struct Recipe {
  MapKind kind = MapKind::fourier;
  std::size_t d = 0;
  std::size_t r = 0;
  Kernel kernel = Gaussian{};
  std::uint64_t seed = 0;
  std::vector<float> landmarks = {};
  bool operator==(const Recipe&) const = default;
};

// A mean in the form that judging wants: for random maps a cos p + b sin p = A cos(p - theta), one cosine a
// frequency; for Nystrom the weights alpha = K^+ m. Made by FeatureMap::fold, read by the map that made it.
struct Folded {
  std::uint64_t map = 0;  // the fingerprint of that map
  std::vector<float> amplitude;
  std::vector<float> start;
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
  // Number of features: 2 r for random maps, r for Nystrom.
  std::size_t size() const { return recipe_.kind == MapKind::nystrom ? recipe_.r : 2 * recipe_.r; }
  // How many frequencies are drawn together: 1 for fourier, the block size for structured maps, 0 for Nystrom,
  // which has no Monte Carlo error.
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

  // eta(x_i) = <phi(x_i), mean> for the mean that was folded, by this map. Throws as project does.
  void similarity(Rows rows, const Folded& folded, std::span<double> eta) const;

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

 private:
  // Called with at least one row, of the right width, all finite.
  virtual void do_project(Rows rows, float* features) const = 0;
  virtual void do_accumulate(Rows rows, std::int64_t* sums) const = 0;
  virtual Folded do_fold(std::span<const double> mean) const = 0;
  virtual void do_similarity(Rows rows, const Folded& folded, double* eta) const = 0;

  void require_rows(Rows rows, std::size_t outputs, std::size_t wanted) const;

  Recipe recipe_;
  Layout layout_;
  std::uint64_t fingerprint_;
};

using SharedMap = std::shared_ptr<const FeatureMap>;

// Builds the map of a recipe. Throws Code::invalid_argument for what cannot be: no columns, r = 0, a bandwidth that is
// not positive, a structured map of a kernel that is not rotation invariant, landmarks of the wrong number.
EXPOSE_API SharedMap make_map(Recipe recipe);

// k(x_i, z_j) as the map sees it: <phi(x_i), phi(z_j)>, x.n() rows of z.n() numbers.
EXPOSE_API std::vector<double> kernel_matrix(const FeatureMap& map, Rows x, Rows z);

}  // namespace expose

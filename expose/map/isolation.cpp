// The isolation kernel (Ting et al. 2018) with balls (Ting et al. 2020): k(x, z) is the share of t random partitions in
// which x and z fall into the same cell. It adapts to the data: cells are small where rows are dense.
//
// A partition is made of psi landmarks, drawn from the rows: landmarks 1 .. psi, the next psi, and so on; the last
// takes what is left. The cell of a landmark is what is nearer to it than to the others (the first of equals) and lies
// in its ball, which reaches to the nearest landmark of the partition that differs; around one that has none, it is a
// point. phi_j(x) = 1 if x lies in the cell of landmark j, else 0; <a, b> = (1/t) sum_j a_j b_j. A row outside all
// balls is like nothing, not even itself: without balls (Voronoi cells) a row far from all others would be as normal as
// its shadow.
#include <algorithm>
#include <array>
#include <type_traits>

#include "expose/map/maps.hpp"
#include "expose/simd/blocks.hpp"
#include "expose/simd/dense.hpp"
#include "expose/simd/fused.hpp"
#include "expose/simd/scratch.hpp"

namespace expose {

namespace {

constexpr std::size_t kPsi = 4;  // landmarks of a partition. Measured: docs/accuracy.md
constexpr std::size_t kMostLanes = 16;
// Further out a row is held: its squared distances stay finite floats, for 2^20 columns too.
constexpr float kFarthest = 1e15F;
constexpr std::size_t kFewRows = 48;  // whose distances are in memory at a time

std::size_t partitions_of(std::size_t r) { return (r + kPsi - 1) / kPsi; }

// So many partitions look for their nearest landmarks side by side, p in lane p mod lanes: as many as vectors have, but
// a map of few landmarks, whatever its d, must not grow large.
std::size_t lanes_of(std::size_t r) { return std::min(partitions_of(r), kMostLanes); }

// Where landmark c of partition p stands: by blocks of `lanes` partitions, then c, then lane.
std::size_t slot_of(std::size_t p, std::size_t c, std::size_t lanes) {
  return (p / lanes * kPsi + c) * lanes + p % lanes;
}

// Where the last partition lacks a landmark, its first stands again, which is never nearer than itself.
simd::Dense pack(const Recipe& recipe) {
  const std::size_t lanes = lanes_of(recipe.r);
  const std::size_t t = partitions_of(recipe.r);
  simd::Dense dense;
  dense.profile = simd::Profile::gaussian;
  dense.d = recipe.d;
  dense.r = dense.slots = simd::panel_slots((t + lanes - 1) / lanes * lanes * kPsi);
  dense.reach = kFarthest;
  dense.centre = AlignedVector<float>(recipe.d, 0.0F);
  std::vector<float> columns(dense.slots * recipe.d, 0.0F);
  for (std::size_t p = 0; p < t; ++p) {
    for (std::size_t c = 0; c < kPsi; ++c) {
      const std::size_t j = p * kPsi + c < recipe.r ? p * kPsi + c : p * kPsi;
      float* const to = columns.data() + slot_of(p, c, lanes) * recipe.d;
      for (std::size_t k = 0; k < recipe.d; ++k) to[k] = dense.seen(recipe.landmarks[j * recipe.d + k], k);
    }
  }
  dense.panels = simd::pack_panels(columns, dense.slots, recipe.d);
  return dense;
}

// |x - z|^2 to the bits of the inner loops.
float squared_distance(std::span<const float> x, std::span<const float> z, const simd::Dense& dense) {
  float sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const float difference = dense.seen(x[k], k) - dense.seen(z[k], k);
    sum = simd::fused(difference, difference, sum);
  }
  return sum;
}

// radius_j^2 = min |x_j - x_i|^2 over the landmarks i of its partition that differ from it; 0 if there is none.
std::vector<float> radii_of(const Recipe& recipe, const simd::Dense& dense) {
  const Rows landmarks(recipe.landmarks, recipe.d);
  std::vector<float> radii(recipe.r, 0.0F);
  for (std::size_t j = 0; j < recipe.r; ++j) {
    const std::size_t first = j / kPsi * kPsi;
    for (std::size_t i = first; i < std::min(first + kPsi, recipe.r); ++i) {
      const float apart = i == j ? 0.0F : squared_distance(landmarks[j], landmarks[i], dense);
      if (apart > 0 && (radii[j] == 0 || apart < radii[j])) radii[j] = apart;
    }
  }
  return radii;
}

std::vector<std::uint32_t> partition_of_each(std::size_t r) {
  std::vector<std::uint32_t> partition(r);
  for (std::size_t j = 0; j < r; ++j) partition[j] = static_cast<std::uint32_t>(j / kPsi);
  return partition;
}

// For each lane the landmark c of its partition with the smallest distance, the first of equals, and that distance.
// distances: [psi][lanes]. Lanes: a constant, where there are as many as vectors have, so that compilers see vectors.
struct Nearest {
  std::array<float, kMostLanes> distance;
  std::array<std::uint32_t, kMostLanes> landmark;

  template <class Lanes>
  void find(const float* distances, Lanes lanes) {
    float least[kMostLanes];  // not the members: those may be where `distances` points to, for all a compiler knows
    std::uint32_t which[kMostLanes] = {};
    for (std::size_t lane = 0; lane < lanes; ++lane) least[lane] = distances[lane];
    for (std::uint32_t c = 1; c < kPsi; ++c) {
      const float* const here = distances + c * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool nearer = here[lane] < least[lane];
        least[lane] = nearer ? here[lane] : least[lane];
        which[lane] = nearer ? c : which[lane];
      }
    }
    std::copy_n(least, static_cast<std::size_t>(lanes), distance.begin());
    std::copy_n(which, static_cast<std::size_t>(lanes), landmark.begin());
  }
};

class Isolation final : public FeatureMap {
 public:
  explicit Isolation(const Recipe& recipe)
      : FeatureMap(recipe, {.block = kPsi, .block_of = partition_of_each(recipe.r)}),
        dense_(pack(recipe)),
        radii_(radii_of(recipe, dense_)) {}

  std::vector<double> dual(std::span<const double> mean) const override {
    std::vector<double> dual(mean.begin(), mean.end());
    for (double& value : dual) value /= static_cast<double>(partitions_of(r()));
    return dual;
  }
  double self_similarity(std::span<const float> row) const override {
    std::size_t inside = 0;
    for_cells(Rows(row.data(), 1, row.size()),
              [&](std::size_t, std::size_t, bool in_ball) { inside += in_ball ? 1 : 0; });
    return static_cast<double>(inside) / static_cast<double>(partitions_of(r()));
  }

 private:
  void do_project(Rows rows, float* features) const override {
    std::fill_n(features, rows.n() * r(), 0.0F);
    for_cells(rows, [&](std::size_t i, std::size_t j, bool inside) { features[i * r() + j] = inside ? 1.0F : 0.0F; });
  }
  void do_accumulate(Rows rows, std::int64_t* sums) const override {
    constexpr auto kOne = static_cast<std::int64_t>(1 / kGrid);
    for_cells(rows, [&](std::size_t, std::size_t j, bool inside) { sums[j] += inside ? kOne : 0; });
  }
  Folded do_fold(std::span<const double> mean) const override {
    Folded folded;
    for (const double value : dual(mean)) folded.amplitude.push_back(static_cast<float>(value));
    return folded;
  }
  void do_similarity(Rows rows, const Folded& folded, double* eta) const override {
    std::fill_n(eta, rows.n(), 0.0);
    for_cells(rows, [&](std::size_t i, std::size_t j, bool inside) {
      eta[i] += static_cast<double>(inside ? folded.amplitude[j] : 0.0F);
    });
  }

  // take(i, j, inside) for each row i and, in the order of the partitions, its nearest landmark j, and whether it lies
  // in the ball. A flag and no branch: which way it would go cannot be foretold.
  template <class Take>
  void for_cells(Rows rows, const Take& take) const {
    simd::in_blocks(rows, kFewRows, [&](Rows some, std::size_t begin) {
      float* const distances = simd::room(simd::scratch().features, some.n() * dense_.slots);
      simd::squared_distances(dense_, some, distances);
      for (std::size_t i = 0; i < some.n(); ++i) {
        for_cells_of_one(distances + i * dense_.slots, [&](std::size_t j, bool inside) { take(begin + i, j, inside); });
      }
    });
  }

  template <class Take>
  void for_cells_of_one(const float* distances, const Take& take) const {
    const std::size_t lanes = lanes_of(r());
    const std::size_t t = partitions_of(r());
    Nearest nearest{};
    for (std::size_t p = 0; p < t; p += lanes) {
      if (lanes == kMostLanes) {
        nearest.find(distances + p * kPsi, std::integral_constant<std::size_t, kMostLanes>());
      } else {
        nearest.find(distances + p * kPsi, lanes);
      }
      for (std::size_t lane = 0; lane < std::min(lanes, t - p); ++lane) {
        const std::size_t j = (p + lane) * kPsi + nearest.landmark[lane];
        take(j, nearest.distance[lane] <= radii_[j]);
      }
    }
  }

  simd::Dense dense_;
  std::vector<float> radii_;  // squared
};

}  // namespace

SharedMap make_isolation(const Recipe& recipe) { return std::make_shared<Isolation>(recipe); }

}  // namespace expose

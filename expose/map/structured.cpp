// Structured random maps: the product <w_j, x> of all frequencies in O(r log d), without storing them.
//
//   SORF      W = diag(|w|) H S3 H S2 H S1 / D^(3/2)
//   Fastfood  W = diag(|w|) H G P H B / (|G| D^(1/2))      (paper: "in O(r log d) time")
//
// H is the Hadamard matrix of size D, S and B are random signs, P a permutation, G a Gaussian diagonal. The rows before
// diag(|w|) have length 1; |w| is drawn as the length of a frequency in D dimensions, so each row alone is distributed
// as a frequency of the kernel (nearly: D >= 16, below which three sign flips are too few), and rows of a block are
// orthogonal (SORF) or nearly so (Fastfood).
#include "expose/simd/structured.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "expose/base/random.hpp"
#include "expose/map/circle.hpp"
#include "expose/map/maps.hpp"

namespace expose {

namespace {

constexpr std::size_t kSmallestBlock = 16;
constexpr std::size_t kLanes = simd::kLanes;

void draw_signs(Random& random, std::size_t count, float* signs) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i, bits >>= 1) {
    if (i % 64 == 0) bits = random.bits();
    signs[i * kLanes] = (bits & 1) != 0 ? 1.0F : -1.0F;
  }
}

// P by Fisher and Yates, G; returns |G|.
double draw_mixing(Random& random, std::size_t D, std::uint32_t* permutation, float* gains) {
  std::vector<std::uint32_t> order(D);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = D - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  double square = 0;
  for (std::size_t i = 0; i < D; ++i) {
    permutation[i * kLanes] = order[i];
    gains[i * kLanes] = static_cast<float>(random.normal());
    square += static_cast<double>(gains[i * kLanes]) * static_cast<double>(gains[i * kLanes]);
  }
  return std::sqrt(square);
}

void draw_block(const Recipe& recipe, std::size_t block, simd::Structured& map) {
  Random random(recipe.seed, stream(Stream::block, block));
  const std::size_t group = block / kLanes;
  const std::size_t first = group * map.D * kLanes + block % kLanes;  // slot of position 0
  draw_signs(random, map.flips * map.D, &map.signs[group * map.flips * map.D * kLanes + block % kLanes]);
  const double D = static_cast<double>(map.D);
  const double length = recipe.kind == MapKind::sorf
                            ? D * std::sqrt(D)
                            : std::sqrt(D) * draw_mixing(random, map.D, &map.permutation[first], &map.gains[first]);
  for (std::size_t i = 0; i < map.D; ++i) {
    const double norm = draw_frequency_norm(recipe.kernel, random, map.D);
    const double turns = norm / (2 * std::numbers::pi);
    map.scale[first + i * kLanes] = static_cast<float>(norm / (length * 2 * std::numbers::pi));
    map.mean_square[first + i * kLanes] = static_cast<float>(turns * turns / D);
  }
}

simd::Structured draw(const Recipe& recipe) {
  simd::Structured map;
  map.d = recipe.d;
  map.r = recipe.r;
  map.D = std::max(kSmallestBlock, std::bit_ceil(recipe.d));
  map.blocks = (recipe.r + map.D - 1) / map.D;
  map.groups = (map.blocks + kLanes - 1) / kLanes;
  map.reach = FeatureMap::kReach * static_cast<float>(bandwidth(recipe.kernel));
  map.passes = simd::hadamard_passes(map.D);
  map.flips = recipe.kind == MapKind::sorf ? 3 : 1;
  map.signs.assign(map.slots() * map.flips, 1.0F);
  map.scale.assign(map.slots(), 0.0F);
  map.mean_square.assign(map.slots(), 0.0F);
  if (recipe.kind == MapKind::fastfood) {
    map.gains.assign(map.slots(), 0.0F);
    map.permutation.assign(map.slots(), 0U);
  }
  for (std::size_t block = 0; block < map.blocks; ++block) draw_block(recipe, block, map);
  // All blocks are whole but the last, which has what is left of r.
  for (std::size_t slot = 0; slot < map.slots(); ++slot) {
    const std::size_t block = slot / (map.D * kLanes) * kLanes + slot % kLanes;
    const std::size_t position = slot / kLanes % map.D;
    if (block * map.D + position < recipe.r) map.slot.push_back(static_cast<std::uint32_t>(slot));
  }
  return map;
}

class StructuredMap final : public FeatureMap {
 public:
  StructuredMap(Recipe recipe, simd::Structured structured)
      : FeatureMap(std::move(recipe), {structured.D, blocks_of(structured)}), structured_(std::move(structured)) {}

  std::vector<double> dual(std::span<const double> mean) const override { return dual_of_circle(mean); }

 private:
  static std::vector<std::uint32_t> blocks_of(const simd::Structured& map) {
    std::vector<std::uint32_t> blocks;
    for (const std::uint32_t slot : map.slot) {
      blocks.push_back(static_cast<std::uint32_t>(slot / (map.D * kLanes) * kLanes + slot % kLanes));
    }
    return blocks;
  }

  void do_project(Rows rows, float* features) const override { simd::project(structured_, rows, features); }
  void do_accumulate(Rows rows, std::int64_t* sums) const override { simd::accumulate(structured_, rows, sums); }
  // |w_j|^2 / D sum_k v_k for sum_k w_jk^2 v_k.
  void do_project_expected(Rows rows, Rows variances, float* features) const override {
    simd::project(structured_, rows, features);
    damp_rows(variances, r(), features, [&](std::span<const float> v, float* decay) {
      double sum = 0;
      for (const float value : v) sum += static_cast<double>(value);
      const auto scaled = static_cast<float>(std::min(simd::kDecay * sum, 0x1p127));
      for (std::size_t j = 0; j < r(); ++j) decay[j] = structured_.mean_square[structured_.slot[j]] * scaled;
    });
  }
  Folded do_fold(std::span<const double> mean) const override {
    return fold_circle(mean, structured_.slots(), [&](std::size_t j) { return structured_.slot[j]; });
  }
  void do_similarity(Rows rows, const Folded& folded, double* eta) const override {
    simd::similarity(structured_, rows, folded.amplitude.data(), folded.start.data(), eta);
  }

  double do_watch(std::span<const float> row, std::int64_t* sums) const override {
    if (r() != structured_.slots()) return FeatureMap::do_watch(row, sums);
    return simd::watch(structured_, row, sums);
  }

  simd::Structured structured_;
};

}  // namespace

SharedMap make_structured(Recipe recipe) {
  simd::Structured structured = draw(recipe);
  return std::make_shared<StructuredMap>(std::move(recipe), std::move(structured));
}

}  // namespace expose

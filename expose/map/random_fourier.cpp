// Random kitchen sinks (paper, section "Random Kitchen Sinks"): frequencies w_j from the spectral measure of the
// kernel, phi(x) = (cos <w_j, x>, sin <w_j, x>), the complex form of the paper.
#include <numbers>

#include "expose/base/random.hpp"
#include "expose/map/circle.hpp"
#include "expose/map/maps.hpp"
#include "expose/map/without.hpp"
#include "expose/simd/dense.hpp"

namespace expose {

namespace {

// Row j: w_j / (2 pi), so that phases are in turns.
simd::Dense draw(const Recipe& recipe) {
  std::vector<float> columns(recipe.r * recipe.d);
  std::vector<double> frequency(recipe.d);
  for (std::size_t j = 0; j < recipe.r; ++j) {
    Random random(recipe.seed, stream(Stream::frequency, j));
    draw_frequency(recipe.kernel, random, frequency);
    for (std::size_t k = 0; k < recipe.d; ++k) {
      columns[j * recipe.d + k] = static_cast<float>(frequency[k] / (2 * std::numbers::pi));
    }
  }
  simd::Dense dense;
  dense.d = recipe.d;
  dense.r = recipe.r;
  dense.slots = simd::panel_slots(recipe.r);
  dense.reach = FeatureMap::kReach * static_cast<float>(bandwidth(recipe.kernel));
  dense.panels = simd::pack_panels(columns, recipe.r, recipe.d);
  return dense;
}

class RandomFourier final : public FeatureMap {
 public:
  explicit RandomFourier(const Recipe& recipe) : FeatureMap(recipe, {.block = 1}), dense_(draw(recipe)) {}

  std::vector<double> dual(std::span<const double> mean) const override { return dual_of_circle(mean); }

  std::unique_ptr<const SimilarityWithout> similarity_without(const Folded& folded,
                                                              const UnknownFeatures& unknown) const override {
    return share_work(dense_, folded, unknown, bandwidth(kernel()));
  }

 private:
  void do_project(Rows rows, float* features) const override { simd::project(dense_, rows, features); }
  void do_accumulate(Rows rows, std::int64_t* sums) const override { simd::accumulate(dense_, rows, sums); }
  void do_project_expected(Rows rows, Rows variances, float* features) const override {
    simd::project(dense_, rows, features);
    damp_rows(variances, r(), features,
              [&](std::span<const float> v, float* decay) { simd::decays(dense_, v, decay); });
  }
  Folded do_fold(std::span<const double> mean) const override {
    return fold_circle(mean, dense_.slots, [](std::size_t j) { return j; });
  }
  void do_similarity(Rows rows, const Folded& folded, double* eta) const override {
    simd::similarity(dense_, rows, folded.amplitude.data(), folded.start.data(), eta);
  }

  double do_watch(std::span<const float> row, std::int64_t* sums) const override {
    if (r() != dense_.slots) return FeatureMap::do_watch(row, sums);
    return simd::watch(dense_, row.data(), sums);
  }

  simd::Dense dense_;
};

}  // namespace

SharedMap make_random_fourier(const Recipe& recipe) { return std::make_shared<RandomFourier>(recipe); }

}  // namespace expose

// Nystrom's approximation (paper, section of that name): the kernel seen from r landmarks x_1 .. x_r.
//
// The features are the raw kernel vector k(x_j, x), bounded and summed like all others. With K = (k(x_i, x_j)), the
// paper's feature map U diag(1/sqrt(lambda)) has the inner product <a, b> = a' K^+ b; K^+ is applied where an inner
// product is taken, never to a row: eta(x) = sum_j alpha_j k(x_j, x), alpha = K^+ m, m the mean kernel vector.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "expose/map/maps.hpp"
#include "expose/simd/dense.hpp"

namespace expose {

namespace {

// Eigenvalues below this share of the largest are noise. Measured: 1e-3 and 1e-12 are both worse.
constexpr double kRelativeCut = 1e-6;

// The eigenvectors of K that are kept, scaled: column i is u_i / sqrt(lambda_i), so K^+ = V V'.
Eigen::MatrixXd whitening(const Recipe& recipe) {
  const Rows landmarks(recipe.landmarks, recipe.d);
  const auto r = static_cast<Eigen::Index>(recipe.r);
  Eigen::MatrixXd K(r, r);
  for (Eigen::Index i = 0; i < r; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      K(i, j) = evaluate(recipe.kernel, landmarks[static_cast<std::size_t>(i)], landmarks[static_cast<std::size_t>(j)]);
      K(j, i) = K(i, j);
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K);
  const Eigen::VectorXd& lambda = solver.eigenvalues();  // ascending
  Eigen::Index dropped = 0;
  while (lambda(dropped) < kRelativeCut * lambda(r - 1)) ++dropped;
  return solver.eigenvectors().rightCols(r - dropped) *
         lambda.tail(r - dropped).cwiseSqrt().cwiseInverse().asDiagonal();
}

// Landmarks are centred on their mean: |x|^2 of a far-away cloud would have no digits left for distances.
AlignedVector<float> centre_of(const Recipe& recipe) {
  AlignedVector<float> centre(recipe.d);
  for (std::size_t k = 0; k < recipe.d; ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < recipe.r; ++j) sum += static_cast<double>(recipe.landmarks[j * recipe.d + k]);
    centre[k] = static_cast<float>(sum / static_cast<double>(recipe.r));
  }
  return centre;
}

struct Shape {
  simd::Profile profile;
  double g;  // see simd/dense.hpp
};

Shape shape_of(const Kernel& kernel) {
  const double s = bandwidth(kernel);
  if (std::holds_alternative<Gaussian>(kernel)) return {simd::Profile::gaussian, std::numbers::log2e / (2 * s * s)};
  if (std::holds_alternative<Matern32>(kernel)) return {simd::Profile::matern32, 3 / (s * s)};
  if (std::holds_alternative<Matern52>(kernel)) return {simd::Profile::matern52, 5 / (s * s)};
  return {simd::Profile::laplacian, std::numbers::log2e / s};
}

// -g |x - z|^2 = 2 g <z, x> - g |z|^2 - g |x|^2: columns 2 g z, bias -g |z|^2. The L1 distance takes z as it is.
simd::Dense pack(const Recipe& recipe) {
  const Shape shape = shape_of(recipe.kernel);
  simd::Dense dense;
  dense.profile = shape.profile;
  dense.d = recipe.d;
  dense.r = recipe.r;
  dense.slots = simd::panel_slots(recipe.r);
  dense.reach = FeatureMap::kReach * static_cast<float>(bandwidth(recipe.kernel));
  dense.centre = centre_of(recipe);
  dense.bias.assign(dense.slots, 0.0F);
  dense.g = static_cast<float>(shape.g);
  const bool squares = shape.profile != simd::Profile::laplacian;
  const double twice_g = 2 * static_cast<double>(dense.g);
  std::vector<float> columns(recipe.r * recipe.d);
  for (std::size_t j = 0; j < recipe.r; ++j) {
    double square = 0;  // of the column as it is rounded, so that a landmark is at distance 0 of itself
    for (std::size_t k = 0; k < recipe.d; ++k) {
      const float z = recipe.landmarks[j * recipe.d + k] - dense.centre[k];
      columns[j * recipe.d + k] = squares ? static_cast<float>(twice_g * static_cast<double>(z)) : z;
      square += static_cast<double>(columns[j * recipe.d + k]) * static_cast<double>(columns[j * recipe.d + k]);
    }
    if (squares) dense.bias[j] = static_cast<float>(-square / (2 * twice_g));
  }
  dense.panels = simd::pack_panels(columns, recipe.r, recipe.d);
  return dense;
}

class Nystrom final : public FeatureMap {
 public:
  explicit Nystrom(const Recipe& recipe)
      : FeatureMap(recipe, {.block = 0, .folded = simd::panel_slots(recipe.r)}),
        dense_(pack(recipe)),
        whitening_(whitening(recipe)) {}

  // K^+ m = V (V' m)
  std::vector<double> dual(std::span<const double> mean) const override {
    const Eigen::Map<const Eigen::VectorXd> m(mean.data(), static_cast<Eigen::Index>(mean.size()));
    const Eigen::VectorXd alpha = whitening_ * (whitening_.transpose() * m);
    return {alpha.begin(), alpha.end()};
  }

  Folded fold(std::span<const double> mean) const override {
    Folded folded{std::vector<float>(dense_.slots, 0.0F), {}};
    const std::vector<double> alpha = dual(mean);
    for (std::size_t j = 0; j < alpha.size(); ++j) folded.amplitude[j] = static_cast<float>(alpha[j]);
    return folded;
  }

 private:
  void do_project(Rows rows, float* features) const override { simd::project(dense_, rows, features); }
  void do_accumulate(Rows rows, std::int64_t* sums) const override { simd::accumulate(dense_, rows, sums); }
  void do_similarity(Rows rows, const Folded& folded, double* eta) const override {
    simd::similarity(dense_, rows, folded.amplitude.data(), nullptr, eta);
  }

  simd::Dense dense_;
  Eigen::MatrixXd whitening_;
};

}  // namespace

SharedMap make_nystrom(const Recipe& recipe) { return std::make_shared<Nystrom>(recipe); }

}  // namespace expose

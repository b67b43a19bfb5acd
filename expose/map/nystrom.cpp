// Nystrom's approximation (paper, section of that name): the kernel seen from r landmarks x_1 .. x_r.
//
// The features are the raw kernel vector k(x_j, x), bounded and summed like all others. With K = (k(x_i, x_j)), the
// paper's feature map U diag(1/sqrt(lambda)) has the inner product <a, b> = a' K^+ b; K^+ is applied where an inner
// product is taken, never to a row: eta(x) = sum_j alpha_j k(x_j, x), alpha = K^+ m, m the mean kernel vector.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/map/maps.hpp"
#include "expose/map/without.hpp"
#include "expose/simd/dense.hpp"
#include "expose/simd/expected.hpp"

namespace expose {

namespace {

// Eigenvalues below this share of the largest are noise. Measured: 1e-3 and 1e-12 are both worse.
constexpr double kRelativeCut = 1e-6;

// Kernels see rows this many bandwidths away from the centre of the landmarks; nothing that far is like anything.
constexpr float kKernelReach = 1e12F;

// The (lower) median of the landmarks: far from the origin floats have no digits left for differences, and a mean would
// follow a single extreme landmark.
AlignedVector<float> centre_of(const Recipe& recipe) {
  AlignedVector<float> centre(recipe.d);
  std::vector<float> column(recipe.r);
  const auto middle = column.begin() + static_cast<std::ptrdiff_t>((recipe.r - 1) / 2);
  for (std::size_t k = 0; k < recipe.d; ++k) {
    for (std::size_t j = 0; j < recipe.r; ++j) column[j] = recipe.landmarks[j * recipe.d + k];
    std::nth_element(column.begin(), middle, column.end());
    centre[k] = *middle;
  }
  return centre;
}

struct Shape {
  simd::Profile profile;
  double gain;  // what makes the distance that the profile wants, see simd/dense.hpp
};

Shape shape_of(const Kernel& kernel) {
  const double s = bandwidth(kernel);
  if (std::holds_alternative<Gaussian>(kernel))
    return {simd::Profile::gaussian, std::sqrt(std::numbers::log2e / 2) / s};
  if (std::holds_alternative<Matern32>(kernel)) return {simd::Profile::matern32, std::sqrt(3.0) / s};
  if (std::holds_alternative<Matern52>(kernel)) return {simd::Profile::matern52, std::sqrt(5.0) / s};
  return {simd::Profile::laplacian, std::numbers::log2e / s};
}

simd::Dense pack(const Recipe& recipe) {
  const Shape shape = shape_of(recipe.kernel);
  simd::Dense dense;
  dense.profile = shape.profile;
  dense.d = recipe.d;
  dense.r = recipe.r;
  dense.slots = simd::panel_slots(recipe.r);
  dense.reach = kKernelReach * static_cast<float>(bandwidth(recipe.kernel));
  dense.centre = centre_of(recipe);
  dense.gain = static_cast<float>(shape.gain);
  std::vector<float> columns(recipe.landmarks.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = dense.seen(recipe.landmarks[i], i % recipe.d);
  dense.panels = simd::pack_panels(columns, recipe.r, recipe.d);
  return dense;
}

// The eigenvectors of K that are kept, scaled: column i is u_i / sqrt(lambda_i), so K^+ = V V'.
Eigen::MatrixXd whitening(const Eigen::MatrixXd& K) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K);
  const Eigen::VectorXd& lambda = solver.eigenvalues();  // ascending
  const Eigen::Index r = K.rows();
  Eigen::Index dropped = 0;
  while (dropped < r - 1 && lambda(dropped) < kRelativeCut * lambda(r - 1)) ++dropped;
  return solver.eigenvectors().rightCols(r - dropped) *
         lambda.tail(r - dropped).cwiseSqrt().cwiseInverse().asDiagonal();
}

// K^+ m = V (V' m)
std::vector<double> dual_by(const Eigen::MatrixXd& V, std::span<const double> mean) {
  const Eigen::Map<const Eigen::VectorXd> m(mean.data(), static_cast<Eigen::Index>(mean.size()));
  const Eigen::VectorXd alpha = V * (V.transpose() * m);
  return {alpha.begin(), alpha.end()};
}

// K of the landmarks as the loops see them, so that the metric belongs to the features.
Eigen::MatrixXd kernel_of(const Recipe& recipe, const simd::Dense& dense) {
  std::vector<float> held(recipe.landmarks.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    held[i] = std::clamp(recipe.landmarks[i] - dense.centre[i % recipe.d], -dense.reach, dense.reach);
  }
  const Rows landmarks(held, recipe.d);
  const auto r = static_cast<Eigen::Index>(recipe.r);
  Eigen::MatrixXd K(r, r);
  for (Eigen::Index i = 0; i < r; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      K(i, j) = evaluate(recipe.kernel, landmarks[static_cast<std::size_t>(i)], landmarks[static_cast<std::size_t>(j)]);
      K(j, i) = K(i, j);
    }
  }
  return K;
}

class Nystrom final : public FeatureMap {
 public:
  explicit Nystrom(const Recipe& recipe)
      : FeatureMap(recipe, {.block = 0}), dense_(pack(recipe)), whitening_(whitening(kernel_of(recipe, dense_))) {}

  std::vector<double> dual(std::span<const double> mean) const override { return dual_by(whitening_, mean); }

  std::unique_ptr<const SimilarityWithout> similarity_without(const Folded& folded,
                                                              const UnknownFeatures& unknown) const override {
    if (!std::holds_alternative<Gaussian>(kernel())) return nullptr;
    return share_work(dense_, folded, unknown, bandwidth(kernel()));
  }

 private:
  void do_project(Rows rows, float* features) const override { simd::project(dense_, rows, features); }
  void do_accumulate(Rows rows, std::int64_t* sums) const override { simd::accumulate(dense_, rows, sums); }
  // h_k = s^2 / (s^2 + v_k): see simd/expected.hpp
  void do_project_expected(Rows rows, Rows variances, float* features) const override {
    const double s = bandwidth(kernel());
    std::vector<float> share(d());
    for (std::size_t i = 0; i < rows.n(); ++i) {
      double factor = 1;
      for (std::size_t k = 0; k < d(); ++k) {
        const double widened = 1 + static_cast<double>(variances[i][k]) / (s * s);
        share[k] = static_cast<float>(1 / widened);
        factor /= std::sqrt(widened);
      }
      simd::project_expected(dense_, rows[i], share, static_cast<float>(factor), features + i * size());
    }
  }
  Folded do_fold(std::span<const double> mean) const override {
    Folded folded;
    folded.amplitude.assign(dense_.slots, 0.0F);
    const std::vector<double> alpha = dual(mean);
    for (std::size_t j = 0; j < alpha.size(); ++j) folded.amplitude[j] = static_cast<float>(alpha[j]);
    return folded;
  }
  void do_similarity(Rows rows, const Folded& folded, double* eta) const override {
    simd::similarity(dense_, rows, folded.amplitude.data(), nullptr, eta);
  }

  simd::Dense dense_;
  Eigen::MatrixXd whitening_;
};

// Not what any kernel gives: k(x, x) = 1 bounds all others.
[[noreturn]] void refuse_kernel(float value) {
  throw Error(Code::invalid_argument, "a kernel with k(x, x) = 1 has values from -1 to 1, there is " +
                                          text(static_cast<double>(value)) + "; divide by sqrt(k(x, x) k(z, z))");
}

[[noreturn]] void refuse_landmark(Eigen::Index i, double self) {
  throw Error(Code::invalid_argument, "a given kernel has k(x, x) = 1, for landmark " + std::to_string(i + 1) +
                                          " it is " + text(self) + "; divide by sqrt(k(x, x) k(z, z))");
}

// A kernel that only the caller knows: a row is (k(x_1, x) .. k(x_r, x)) already.
class Given final : public FeatureMap {
 public:
  explicit Given(const Recipe& recipe) : FeatureMap(recipe, {.block = 0}), whitening_(whitening(matrix_of(recipe))) {}

  std::vector<double> dual(std::span<const double> mean) const override { return dual_by(whitening_, mean); }

 private:
  static constexpr float kAlmost = 1e-4F;  // what rounding in the caller's kernel may add to 1

  static Eigen::MatrixXd matrix_of(const Recipe& recipe) {
    const auto r = static_cast<Eigen::Index>(recipe.r);
    const Rows rows(recipe.landmarks, recipe.d);
    Eigen::MatrixXd K(r, r);
    for (Eigen::Index i = 0; i < r; ++i) {
      for (Eigen::Index j = 0; j < r; ++j) {
        K(i, j) = static_cast<double>(held(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]));
      }
      if (std::abs(K(i, i) - 1) > static_cast<double>(kAlmost)) refuse_landmark(i, K(i, i));
    }
    if (!K.isApprox(K.transpose(), 1e-4)) {
      throw Error(Code::invalid_argument, "a kernel is symmetric, the matrix of the landmarks is not");
    }
    return (K + K.transpose()) / 2;
  }

  // On the grid.
  static float held(float value) {
    if (!(std::abs(value) <= 1 + kAlmost)) refuse_kernel(value);
    constexpr auto kUnits = static_cast<float>(1 / kGrid);
    return std::nearbyint(std::clamp(value, -1.0F, 1.0F) * kUnits) / kUnits;
  }

  void do_project(Rows rows, float* features) const override {
    for (std::size_t i = 0; i < rows.n(); ++i) {
      for (const float value : rows[i]) *features++ = held(value);
    }
  }
  void do_accumulate(Rows rows, std::int64_t* sums) const override {
    std::vector<float> features(rows.n() * size());
    do_project(rows, features.data());
    for (std::size_t k = 0; k < features.size(); ++k) {
      sums[k % size()] += static_cast<std::int64_t>(static_cast<double>(features[k]) / kGrid);
    }
  }
  Folded do_fold(std::span<const double> mean) const override {
    Folded folded;
    for (const double alpha : dual(mean)) folded.amplitude.push_back(static_cast<float>(alpha));
    return folded;
  }
  // eta = sum_j alpha_j k(x_j, x)
  void do_similarity(Rows rows, const Folded& folded, double* eta) const override {
    for (std::size_t i = 0; i < rows.n(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < size(); ++j) {
        sum += static_cast<double>(folded.amplitude[j]) * static_cast<double>(held(rows[i][j]));
      }
      eta[i] = sum;
    }
  }

  Eigen::MatrixXd whitening_;
};

}  // namespace

SharedMap make_nystrom(const Recipe& recipe) { return std::make_shared<Nystrom>(recipe); }

SharedMap make_given(const Recipe& recipe) {
  if (recipe.d == recipe.r) return std::make_shared<Given>(recipe);
  throw Error(Code::shape_mismatch, "a given kernel has a matrix of as many columns as rows, this one has " +
                                        std::to_string(recipe.d) + " and " + std::to_string(recipe.r));
}

}  // namespace expose

#include "expose/explain/picture.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "expose/base/pool.hpp"

namespace expose {

namespace {

// An eigenvalue below this share of the variance is what rounding has left, not a direction.
constexpr double kRelativeCut = 1e-10;
// Rows as far out as the farthest one, but for rounding.
constexpr double kAsFar = 1 - 1e-6;
constexpr std::size_t kRowsABlock = 256;

// k(x_i, z_j), z.n() numbers a row of x.
std::vector<double> exact_kernel(const FeatureMap& map, Rows x, Rows z) {
  if (!has_kernel(map.recipe().kind)) return kernel_matrix(map, x, z);
  std::vector<double> matrix;
  matrix.reserve(x.n() * z.n());
  for (std::size_t i = 0; i < x.n(); ++i) {
    for (std::size_t j = 0; j < z.n(); ++j) matrix.push_back(evaluate(map.kernel(), x[i], z[j]));
  }
  return matrix;
}

// work(begin, end) for blocks of rows.
template <class Work>
void each_block(Pool* pool, std::size_t n, const Work& work) {
  each(pool, (n + kRowsABlock - 1) / kRowsABlock,
       [&](std::size_t block) { work(block * kRowsABlock, std::min(n, (block + 1) * kRowsABlock)); });
}

Eigen::MatrixXd sample_kernel(const FeatureMap& map, Rows sample, Pool* pool) {
  const auto s = static_cast<Eigen::Index>(sample.n());
  Eigen::MatrixXd K(s, s);
  each_block(pool, sample.n(), [&](std::size_t begin, std::size_t end) {
    const std::vector<double> part = exact_kernel(map, sample.slice(begin, end), sample);
    K.middleCols(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin)) =
        Eigen::Map<const Eigen::MatrixXd>(part.data(), s, static_cast<Eigen::Index>(end - begin));
  });
  return K;
}

// Of u and -u the one whose first number of the largest size is above 0.
Eigen::VectorXd with_sign(const Eigen::VectorXd& u) {
  const double far = kAsFar * u.cwiseAbs().maxCoeff();
  const auto first = std::ranges::find_if(u, [&](double value) { return std::abs(value) >= far; });
  return *first < 0 ? Eigen::VectorXd(-u) : u;
}

struct Axes {
  Eigen::MatrixX2d weights;                                // u_a(i) / sqrt(lambda_a); 0: an axis without variance
  Eigen::RowVector2d centre = Eigen::RowVector2d::Zero();  // sum_i weights(i, a) mean_j k(x_i, x_j)
  std::array<double, 2> variance = {};
};

Axes axes_of(const Eigen::MatrixXd& K) {
  const Eigen::Index s = K.rows();
  Axes axes{.weights = Eigen::MatrixX2d::Zero(s, 2)};
  const Eigen::VectorXd means = K.rowwise().mean();
  const Eigen::MatrixXd centred =
      ((K.colwise() - means).rowwise() - means.transpose()).array() + means.mean();  // (I - J) K (I - J)
  const double trace = centred.trace();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(centred);
  for (Eigen::Index a = 0; a < std::min<Eigen::Index>(2, s); ++a) {
    const double lambda = solver.eigenvalues()(s - 1 - a);  // ascending
    if (!(lambda > kRelativeCut * std::max(trace, static_cast<double>(s) * kRelativeCut))) break;
    axes.weights.col(a) = with_sign(solver.eigenvectors().col(s - 1 - a)) / std::sqrt(lambda);
    axes.variance[static_cast<std::size_t>(a)] = lambda / trace;
  }
  axes.centre = means.transpose() * axes.weights;
  return axes;
}

}  // namespace

Picture principal_components(const FeatureMap& map, Rows sample, Rows rows, Pool* pool) {
  Picture picture{.points = std::vector<Picture::Point>(rows.n())};
  for (const Rows& given : {sample, rows}) {
    if (given.empty()) continue;
    require_columns(given, map.d(), "map");
    require_finite(given);
  }
  if (sample.empty()) return picture;
  const Axes axes = axes_of(sample_kernel(map, sample, pool));
  picture.variance = axes.variance;
  each_block(pool, rows.n(), [&](std::size_t begin, std::size_t end) {
    const std::vector<double> kernels = exact_kernel(map, rows.slice(begin, end), sample);
    for (std::size_t i = begin; i < end; ++i) {
      double x = -axes.centre(0), y = -axes.centre(1);
      const double* const k = &kernels[(i - begin) * sample.n()];
      for (std::size_t j = 0; j < sample.n(); ++j) {
        x += axes.weights(static_cast<Eigen::Index>(j), 0) * k[j];
        y += axes.weights(static_cast<Eigen::Index>(j), 1) * k[j];
      }
      picture.points[i] = {x, y};
    }
  });
  return picture;
}

}  // namespace expose

// The picture, against principal components found another way, and its laws.
#include "expose/explain/picture.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "expose/base/pool.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/given.hpp"
#include "tests/support/tables.hpp"

namespace expose {
namespace {

class PictureOf : public EveryMap {};
EXPOSE_FOR_EVERY_MAP(PictureOf);

// k(x, z) for z far closer than the bandwidth is 1 - |x - z|^2 / (2 s^2): the principal components of the features are
// those of the rows, divided by s.
TEST(Picture, OfAWideKernelIsThatOfTheRows) {
  constexpr std::size_t kRows = 60;
  constexpr double kWide = 1000.0;
  Table table = normal_table(kRows, 3, 4);
  for (std::size_t i = 0; i < kRows; ++i) {
    table.values[3 * i] *= 4.0F;
    table.values[3 * i + 1] *= 2.0F;
  }
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 3, 8, 1, Gaussian{kWide}));
  const Picture picture = principal_components(*map, table.rows(), table.rows());

  Eigen::MatrixXd X(kRows, 3);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      X(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = static_cast<double>(table.rows()[i][k]) / kWide;
    }
  }
  X.rowwise() -= X.colwise().mean().eval();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(X, Eigen::ComputeThinU);
  const double total = svd.singularValues().squaredNorm();
  for (Eigen::Index a = 0; a < 2; ++a) {
    Eigen::VectorXd wanted = svd.matrixU().col(a) * svd.singularValues()(a);
    Eigen::Index farthest = 0;
    wanted.cwiseAbs().maxCoeff(&farthest);
    if (wanted(farthest) < 0) wanted = -wanted;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double found = a == 0 ? picture.points[i].x : picture.points[i].y;
      EXPECT_NEAR(found, wanted(static_cast<Eigen::Index>(i)), 3e-6) << i;
    }
    EXPECT_NEAR(picture.variance[static_cast<std::size_t>(a)], std::pow(svd.singularValues()(a), 2) / total, 0.02);
  }
}

// Distances in the plane are at most those in feature space, and the two axes hold the variance they say.
TEST_P(PictureOf, SampleRowsLieWhereTheirComponentsAre) {
  const Table table = normal_table(40, kD, 2);
  const SharedMap shared = map();
  const Picture picture = principal_components(*shared, table.rows(), table.rows());
  const auto k = [&](std::size_t i, std::size_t j) {
    if (GetParam() != MapKind::isolation) return evaluate(shared->kernel(), table.rows()[i], table.rows()[j]);
    return kernel_matrix(*shared, table.rows().slice(i, i + 1), table.rows().slice(j, j + 1))[0];
  };
  double self = 0, all = 0, sum_x = 0, sum_y = 0, cross = 0, square_x = 0, square_y = 0;
  for (std::size_t i = 0; i < table.n(); ++i) {
    self += k(i, i);
    for (std::size_t j = 0; j < table.n(); ++j) {
      all += k(i, j);
      const double dx = picture.points[i].x - picture.points[j].x, dy = picture.points[i].y - picture.points[j].y;
      EXPECT_LE(dx * dx + dy * dy, k(i, i) + k(j, j) - 2 * k(i, j) + 1e-9);
    }
    sum_x += picture.points[i].x;
    sum_y += picture.points[i].y;
    cross += picture.points[i].x * picture.points[i].y;
    square_x += picture.points[i].x * picture.points[i].x;
    square_y += picture.points[i].y * picture.points[i].y;
  }
  const double total = self - all / static_cast<double>(table.n());  // the trace of the centred kernel
  EXPECT_NEAR(sum_x, 0.0, 1e-9);
  EXPECT_NEAR(sum_y, 0.0, 1e-9);
  EXPECT_NEAR(cross, 0.0, 1e-9);
  EXPECT_NEAR(square_x / total, picture.variance[0], 1e-9);
  EXPECT_NEAR(square_y / total, picture.variance[1], 1e-9);
  EXPECT_GE(picture.variance[0], picture.variance[1]);
  EXPECT_GT(picture.variance[1], 0.0);
}

TEST_P(PictureOf, APointDependsOnItsRowAndTheSampleAlone) {
  const Table sample = normal_table(30, kD, 3), rows = normal_table(700, kD, 5);
  const SharedMap shared = map();
  const Picture together = principal_components(*shared, sample.rows(), rows.rows());
  Pool pool(3);
  EXPECT_EQ(principal_components(*shared, sample.rows(), rows.rows(), &pool), together);
  for (const std::size_t i : {std::size_t{0}, std::size_t{299}, std::size_t{699}}) {
    const Picture alone = principal_components(*shared, sample.rows(), rows.rows().slice(i, i + 1));
    EXPECT_EQ(alone.points[0], together.points[i]);
    EXPECT_EQ(alone.variance, together.variance);
  }
}

// A map of a kernel that only the caller knows sees it exactly at its landmarks; what rows look like as columns is
// nobody's business.
TEST(Picture, OfAGivenKernelIsThatOfTheKernel) {
  const Table landmarks = normal_table(30, 3, 1);
  const Table rows = kernel_rows(landmarks, landmarks);
  const Picture found = principal_components(*make_map(given(rows)), rows.rows(), rows.rows());
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 3, 8, 1, kOnlyWeKnow));
  const Picture wanted = principal_components(*map, landmarks.rows(), landmarks.rows());
  for (std::size_t i = 0; i < landmarks.n(); ++i) {
    EXPECT_NEAR(found.points[i].x, wanted.points[i].x, 1e-4) << i;
    EXPECT_NEAR(found.points[i].y, wanted.points[i].y, 1e-4) << i;
  }
  EXPECT_NEAR(found.variance[0], wanted.variance[0], 1e-4);
  EXPECT_NEAR(found.variance[1], wanted.variance[1], 1e-4);
}

// The Gaussian kernel sees distances alone.
TEST(Picture, IsTheSameForTurnedRows) {
  const Table table = normal_table(80, 2, 6);
  Table turned = table;
  for (std::size_t i = 0; i < table.n(); ++i) {  // by the angle of 3, 4, 5
    const float x = table.values[2 * i], y = table.values[2 * i + 1];
    turned.values[2 * i] = 0.6F * x - 0.8F * y;
    turned.values[2 * i + 1] = 0.8F * x + 0.6F * y;
  }
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8, 1, Gaussian{1.5}));
  const Picture before = principal_components(*map, table.rows(), table.rows());
  const Picture after = principal_components(*map, turned.rows(), turned.rows());
  for (std::size_t i = 0; i < table.n(); ++i) {
    EXPECT_NEAR(before.points[i].x, after.points[i].x, 1e-4);
    EXPECT_NEAR(before.points[i].y, after.points[i].y, 1e-4);
  }
}

TEST(Picture, ShowsTwoClustersApart) {
  Table table = normal_table(50, 4, 7);
  const Table other = normal_table(50, 4, 8, 9.0);
  table.values.insert(table.values.end(), other.values.begin(), other.values.end());
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 4, 8, 1, Gaussian{3.0}));
  const Picture picture = principal_components(*map, table.rows(), table.rows());
  const bool first_is_right = picture.points[0].x > 0;
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(picture.points[i].x > 0, (i < 50) == first_is_right) << i;
  EXPECT_GT(picture.variance[0], 0.4);
}

TEST_P(PictureOf, IsOnePointWhereThereIsNoVariance) {
  const SharedMap shared = map();
  const Table one = normal_table(1, kD, 9);
  const Table copies = pick(one, {0, 0, 0, 0});
  for (const Table& sample : {one, copies, Table{{}, kD}}) {
    const Picture picture = principal_components(*shared, sample.rows(), copies.rows());
    EXPECT_EQ(picture.points, std::vector<Picture::Point>(4));
    EXPECT_EQ(picture.variance, (std::array<double, 2>{0.0, 0.0}));
  }
  EXPECT_TRUE(principal_components(*shared, copies.rows(), Rows()).points.empty());
}

// Two places: one direction and no second one.
TEST(Picture, OfTwoPlacesIsALine) {
  const std::vector<float> two = {0, 0, 1, 1, 0, 0};
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8, 1, Gaussian{1.0}));
  const Picture picture = principal_components(*map, Rows(two, 2), Rows(two, 2));
  EXPECT_NEAR(picture.variance[0], 1.0, 1e-12);
  EXPECT_EQ(picture.variance[1], 0.0);
  EXPECT_GT(picture.points[1].x, 0.0);  // the farthest from the centre
  EXPECT_LT(picture.points[0].x, 0.0);
  EXPECT_EQ(picture.points[0].y, 0.0);
}

TEST(Picture, RefusesRowsItCannotPlace) {
  const SharedMap map = make_map(recipe_of(MapKind::fourier, 2, 8));
  const std::vector<float> three = {1, 2, 3}, missing = {1, std::numeric_limits<float>::quiet_NaN()}, good = {1, 2};
  EXPECT_EQ(complaint([&] { principal_components(*map, Rows(three, 3), Rows(good, 2)); }),
            "shape_mismatch: rows have 3 columns, the map takes 2");
  EXPECT_EQ(complaint([&] { principal_components(*map, Rows(good, 2), Rows(missing, 2)); }),
            "not_finite: row 1, column 2 is nan");
}

}  // namespace
}  // namespace expose

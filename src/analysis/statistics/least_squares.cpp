#include "analysis/statistics/least_squares.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace infermeter {

namespace {

/// The normal equations with the right side and, behind it, the unit vector of the highest coefficient: one
/// elimination gives the solution and that column of the inverse.
using Row = std::array<double, 5>;
using System = std::array<Row, 3>;

System normal_equations(std::span<const WeightedPoint> points, std::size_t size) {
  System system{};
  for (const auto& point : points) {
    std::array<double, 3> powers{1, point.x, point.x * point.x};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) system[i][j] += point.weight * powers[i] * powers[j];
      system[i][3] += point.weight * powers[i] * point.y;
    }
  }
  system[size - 1][4] = 1;
  return system;
}

void eliminate(System& system, std::size_t size) {
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < size; ++i) {
      if (std::abs(system[i][column]) > std::abs(system[pivot][column])) pivot = i;
    }
    std::swap(system[column], system[pivot]);
    for (std::size_t i = 0; i < size; ++i) {
      if (i == column) continue;
      const double factor = system[i][column] / system[column][column];
      for (std::size_t j = 0; j < system[i].size(); ++j) system[i][j] -= factor * system[column][j];
    }
  }
}

double half_width_of(std::span<const WeightedPoint> points, const Polynomial& fit, double inverse,
                     std::size_t size) {
  if (points.size() <= size) return std::numeric_limits<double>::infinity();
  double squares = 0;
  for (const auto& point : points) squares += point.weight * std::pow(point.y - fit.at(point.x), 2);
  const auto spare = static_cast<double>(points.size() - size);
  const double t = boost::math::quantile(boost::math::students_t(spare), 0.975);
  return t * std::sqrt(squares / spare * inverse);
}

}  // namespace

Polynomial fit_polynomial(std::span<const WeightedPoint> points, std::size_t degree) {
  const std::size_t size = degree + 1;
  auto system = normal_equations(points, size);
  eliminate(system, size);
  Polynomial fit;
  for (std::size_t i = 0; i < size; ++i) fit.coefficients[i] = system[i][3] / system[i][i];
  fit.half_width = half_width_of(points, fit, system[degree][4] / system[degree][degree], size);
  return fit;
}

Trend trend(const std::array<double, kBlocks>& block_means) {
  constexpr double student8 = 1.860;  // Student's t, 8 degrees of freedom, one-sided 95 %
  constexpr double n = kBlocks, middle = (n - 1) / 2;
  const double mean = std::accumulate(block_means.begin(), block_means.end(), 0.0) / n;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const double x = static_cast<double>(b) - middle, y = block_means[b] - mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const double slope = xy / xx;
  const double error = std::sqrt(std::max(0.0, yy - slope * xy) / (n - 2) / xx);
  return {slope * (n - 1), slope > 0 && slope > student8 * error};
}

}  // namespace infermeter

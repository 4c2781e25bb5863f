// Weighted least squares of a polynomial of degree 2 or 1, and whether a quantity rises over a window. Pure;
// any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "analysis/statistics/intervals.hpp"

namespace infermeter {

struct WeightedPoint {
  double x = 0, y = 0, weight = 1;
};

struct Polynomial {
  std::array<double, 3> coefficients{};  // of 1, x, x²; 0 beyond the degree
  /// 95 % half width of the highest coefficient, by Student's t; infinite without a spare point.
  double half_width = 0;
  double at(double x) const { return coefficients[0] + x * (coefficients[1] + x * coefficients[2]); }
};

/// `degree` is 1 or 2; there must be more points than that, at as many different x.
Polynomial fit_polynomial(std::span<const WeightedPoint> points, std::size_t degree);

struct Trend {
  double rise = 0;           // of the fitted line, from the first to the last block
  bool significant = false;  // its slope is above 0 at 95 %
};

/// Least squares through the means of ten blocks of time; block means depend far less on each other than
/// requests do.
Trend trend(const std::array<double, kBlocks>& block_means);

}  // namespace infermeter

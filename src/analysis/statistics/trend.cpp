#include "analysis/statistics/trend.hpp"

#include <cmath>
#include <numeric>

namespace infermeter {

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

#include "analysis/statistics/spread.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace infermeter {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double spread(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

MeanDifference welch(std::span<const double> a, std::span<const double> b) {
  const auto of_mean = [](std::span<const double> values) {
    return std::pow(spread(values), 2) / static_cast<double>(values.size());
  };
  const double estimate = mean_of(b) - mean_of(a), in_a = of_mean(a), in_b = of_mean(b), both = in_a + in_b;
  if (both <= 0) return {estimate, estimate, estimate};
  const double freedom =
      both * both /
      (in_a * in_a / static_cast<double>(a.size() - 1) + in_b * in_b / static_cast<double>(b.size() - 1));
  const double half = boost::math::quantile(boost::math::students_t(freedom), 0.975) * std::sqrt(both);
  return {estimate, estimate - half, estimate + half};
}

}  // namespace infermeter

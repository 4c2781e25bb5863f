#include "analysis/statistics/spread.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>

namespace infermeter {

double mean_of(std::span<const double> values) {
  return boost::math::statistics::mean(values.begin(), values.end());
}

double spread(std::span<const double> values) {
  if (values.size() < 2) return 0;
  return std::sqrt(boost::math::statistics::sample_variance(values.begin(), values.end()));
}

double root_of_squares(double a, double b) { return std::sqrt(a * a + b * b); }

double student_975(double degrees) { return boost::math::quantile(boost::math::students_t(degrees), 0.975); }

MeanDifference welch(std::span<const double> a, std::span<const double> b) {
  const auto of_mean = [](std::span<const double> values) {
    return std::pow(spread(values), 2) / static_cast<double>(values.size());
  };
  const double estimate = mean_of(b) - mean_of(a), in_a = of_mean(a), in_b = of_mean(b), both = in_a + in_b;
  if (both <= 0) return {estimate, estimate, estimate};
  const double freedom =
      both * both /
      (in_a * in_a / static_cast<double>(a.size() - 1) + in_b * in_b / static_cast<double>(b.size() - 1));
  const double half = student_975(freedom) * std::sqrt(both);
  return {estimate, estimate - half, estimate + half};
}

}  // namespace infermeter

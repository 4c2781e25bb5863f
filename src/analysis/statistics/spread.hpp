// Means and spreads of a few values, and Welch's interval for the difference of two means. Pure; any thread.
#pragma once

#include <span>

namespace infermeter {

/// Of at least one value.
double mean_of(std::span<const double> values);
/// Standard deviation (n − 1); 0 of a single value.
double spread(std::span<const double> values);

/// √(a² + b²), of two spreads. std::hypot would need glibc 2.35.
double root_of_squares(double a, double b);

/// Student's t at 97.5 %.
double student_975(double degrees);

struct MeanDifference {
  double estimate = 0, low = 0, high = 0;  // two-sided 95 %
};

/// Mean of `b` − mean of `a`, at least two values each; the degrees of freedom are Satterthwaite's.
MeanDifference welch(std::span<const double> a, std::span<const double> b);

}  // namespace infermeter

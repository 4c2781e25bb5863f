#include "analysis/compare/changes.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "analysis/statistics/spread.hpp"

namespace infermeter {

namespace {

constexpr double kTail = 0.025;

double student(double degrees) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), kTail));
}

/// An estimate on its scale, with the distances to its bounds if it has them.
struct Scaled {
  double value = 0;
  std::optional<double> below, above;
};

/// Several runs on their scale.
struct Replicates {
  std::size_t count = 0;
  double mean = 0, squared_error = 0;  // of the mean
  double degrees() const { return static_cast<double>(count - 1); }
};

double on(Scale scale, double value) { return scale == Scale::ratio ? std::log(value) : value; }
double back(Scale scale, double value) { return scale == Scale::ratio ? std::exp(value) : value; }
bool fits(Scale scale, double value) { return scale == Scale::points || value > 0; }

std::vector<double> values_on(const std::vector<Estimate>& runs, Scale scale) {
  std::vector<double> values;
  for (const auto& run : runs) {
    if (fits(scale, *run.value)) values.push_back(on(scale, *run.value));
  }
  return values;
}

Replicates replicates(const std::vector<double>& values) {
  return {values.size(), mean_of(values), std::pow(spread(values), 2) / static_cast<double>(values.size())};
}

Scaled scaled(const Estimate& estimate, Scale scale) {
  Scaled out{on(scale, *estimate.value), {}, {}};
  if (estimate.low && fits(scale, *estimate.low)) out.below = out.value - on(scale, *estimate.low);
  if (estimate.high) out.above = on(scale, *estimate.high) - out.value;
  return out;
}

/// Welch's interval of the difference of two means.
double welch_half_width(const Replicates& a, const Replicates& b) {
  const double sum = a.squared_error + b.squared_error;
  if (sum == 0) return 0;
  const double degrees =
      sum * sum /
      (a.squared_error * a.squared_error / a.degrees() + b.squared_error * b.squared_error / b.degrees());
  return student(degrees) * std::sqrt(sum);
}

std::optional<double> reach(const std::optional<double>& one, const std::optional<double>& other) {
  return one && other ? std::optional(root_of_squares(*one, *other)) : std::nullopt;
}

double change_of(Scale scale, double difference) {
  return scale == Scale::ratio ? std::expm1(difference) : difference;
}

ScaledChange by_run(const std::vector<double>& a, const std::vector<double>& b) {
  const auto of_a = replicates(a), of_b = replicates(b);
  const double half = welch_half_width(of_a, of_b);
  return {of_b.mean - of_a.mean, half, half};
}

}  // namespace

ScaledChange change_by_bounds(const Estimate& reference, const Estimate& other, Scale scale) {
  const auto a = scaled(reference, scale), b = scaled(other, scale);
  return {b.value - a.value, reach(b.below, a.above), reach(b.above, a.below)};
}

std::optional<Estimate> pool(const std::vector<Estimate>& runs, Scale scale) {
  if (runs.empty()) return std::nullopt;
  if (runs.size() == 1) return runs.front();
  const auto values = values_on(runs, scale);
  if (values.size() < 2) return runs.front();
  const auto all = replicates(values);
  const double half = student(all.degrees()) * std::sqrt(all.squared_error);
  return Estimate{.value = back(scale, all.mean),
                  .low = back(scale, all.mean - half),
                  .high = back(scale, all.mean + half),
                  .samples = all.count,
                  .why_not = {}};
}

void compare_estimates(const std::vector<Estimate>& reference, const std::vector<Estimate>& other,
                       Scale scale, ComparedCell& cell) {
  const auto a = pool(reference, scale), b = pool(other, scale);
  if (!a || !b) return;
  if (!fits(scale, *a->value) || !fits(scale, *b->value)) {
    cell.reason = "no ratio to 0";
    return;
  }
  const auto of_a = values_on(reference, scale), of_b = values_on(other, scale);
  const auto interval =
      of_a.size() > 1 && of_b.size() > 1 ? by_run(of_a, of_b) : change_by_bounds(*a, *b, scale);
  cell.change = change_of(scale, interval.difference);
  if (interval.below) cell.change_low = change_of(scale, interval.difference - *interval.below);
  if (interval.above) cell.change_high = change_of(scale, interval.difference + *interval.above);
  if (!interval.below && !interval.above) cell.reason = "no interval";
}

ChangeWord word_for(const ComparedCell& cell, double margin, bool more_is_better) {
  const auto& [low, high] = std::pair(cell.change_low, cell.change_high);
  if (!cell.change) return ChangeWord::unknown;
  if (low && high && *low >= -margin && *high <= margin) return ChangeWord::same;
  const bool more = low && *low > 0, less = high && *high < 0;
  if ((!more && !less) || std::abs(*cell.change) <= margin) return ChangeWord::unknown;
  return more == more_is_better ? ChangeWord::better : ChangeWord::worse;
}

}  // namespace infermeter

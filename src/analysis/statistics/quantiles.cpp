#include "analysis/statistics/quantiles.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter {

namespace {

/// Type 7 puts the quantile at position (n − 1)·q, counted from 0.
struct Position {
  std::uint64_t below;
  double fraction;
};

Position position(std::uint64_t n, double q) {
  const double at = static_cast<double>(n - 1) * std::clamp(q, 0.0, 1.0);
  const double below = std::floor(at);
  return {static_cast<std::uint64_t>(below), at - below};
}

/// Written so that equal neighbours give exactly their own value.
double between(double low, double high, double fraction) { return low + (high - low) * fraction; }

}  // namespace

double quantile(std::span<const double> sorted, double q) {
  const auto [below, fraction] = position(sorted.size(), q);
  const auto above = std::min<std::uint64_t>(below + 1, sorted.size() - 1);
  return between(sorted[below], sorted[above], fraction);
}

double quantile(std::span<const WeightedSample> sorted, std::uint64_t total, double q) {
  const auto [below, fraction] = position(total, q);
  if (total == sorted.size()) {  // every weight is 1, the usual case
    const auto above = std::min<std::uint64_t>(below + 1, total - 1);
    return between(sorted[below].value, sorted[above].value, fraction);
  }
  std::size_t i = 0;
  std::uint64_t seen = 0;
  while (seen + sorted[i].weight <= below) seen += sorted[i++].weight;
  const bool same = seen + sorted[i].weight > below + 1 || i + 1 == sorted.size();
  return between(sorted[i].value, sorted[same ? i : i + 1].value, fraction);
}

std::uint64_t total_weight(std::span<const WeightedSample> samples) {
  std::uint64_t sum = 0;
  for (const auto& sample : samples) sum += sample.weight;
  return sum;
}

double median(std::span<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

}  // namespace infermeter

#include "analysis/assertions/requests_needed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/percentile_needs.hpp"
#include "analysis/statistics/intervals.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kPower = 1.28;  // the normal distribution's 90 %

double there_were(const AssertionPlace& place) { return static_cast<double>(place.measured.size()); }

/// Rounded up to one digit, and more than the run had: fewer were not enough this time.
double in_one_digit(double needed, double had) {
  const auto rounded = [](double value, double (*round)(double)) {
    const double scale = std::pow(10, std::floor(std::log10(value)));
    return round(value / scale) * scale;
  };
  const double nearest = rounded(std::max(needed, 1.0), [](double v) { return std::round(v); });
  if (nearest > had) return nearest;
  return rounded(had + 1, [](double v) { return std::ceil(v); });
}

std::string about(double needed, const AssertionPlace& place) {
  const double shown = in_one_digit(needed, there_were(place));
  return fmt::format("about {} requests", format_count(static_cast<std::uint64_t>(shown)));
}

/// The half width shrinks with the square root of the requests.
std::string by_width(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place) {
  const bool below = *figure.value < assertion.limit;
  const auto& facing = below ? figure.high : figure.low;
  const auto& other = below ? figure.low : figure.high;
  if (!facing && !other) return {};
  const double half = std::abs(facing.value_or(*other) - *figure.value) * (1 + kPower / kNormal);
  const double needed = there_were(place) * std::pow(half / std::abs(assertion.limit - *figure.value), 2);
  if (needed <= largest_forecast(there_were(place))) return about(needed, place);
  return more_than_largest(assertion.statistic == "mean" ? "mean" : "percentile", there_were(place));
}

bool has_gaps(const Records& answers) {
  return std::ranges::any_of(answers, [](const auto* record) { return !record->gaps_us.empty(); });
}

/// Ten blocks of time that each last as long as an answer. Records without gaps (--no-save-gaps) do not allow
/// an interval, however long the run.
std::string by_length(const AssertionPlace& place) {
  const auto* e2e = place.figures().find("e2e");
  if (!e2e || !has_gaps(place.answers)) return {};
  return fmt::format("a run of at least {} s", format_number(std::ceil(kBlocks * e2e->mean / 1e3), 2));
}

}  // namespace

std::string requests_needed(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place) {
  const auto& known = *find_figure(assertion.metric);
  if (const auto percentile = percentile_of(assertion.statistic); percentile && !known.has_gaps()) {
    if (const auto samples = percentile_samples(known, place))
      return requests_to_settle(*samples, {*percentile / 100, assertion.limit, known.low_tail},
                                there_were(place));
  }
  if (known.has_gaps() && !figure.low && !figure.high) return by_length(place);
  return by_width(assertion, figure, place);
}

}  // namespace infermeter

#include "analysis/assertions/requests_needed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/intervals.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kPower = 1.28;  // the normal distribution's 90 %
constexpr double kTail = 0.025;
constexpr double kMost = 10'000, kMostTimes = 10;

double there_were(const AssertionPlace& place) { return static_cast<double>(place.measured.size()); }

/// The largest forecast: kMost requests, or kMostTimes what the run had if it had kMost or more.
double most(const AssertionPlace& place) {
  return there_were(place) < kMost ? kMost : kMostTimes * there_were(place);
}

std::string more_than_most(std::string_view statistic, const AssertionPlace& place) {
  const auto many = there_were(place) < kMost ? format_count(static_cast<std::uint64_t>(kMost)) + " requests"
                                              : fmt::format("{} times these requests", kMostTimes);
  return fmt::format("more than {}: the {} is at the limit", many, statistic);
}

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

std::string about(double needed, std::string_view how, const AssertionPlace& place) {
  const double shown = in_one_digit(needed, there_were(place));
  return fmt::format("{} {} requests", how, format_count(static_cast<std::uint64_t>(shown)));
}

/// The number of independent samples from which a bound on the tail's side exists.
double fewest_for_a_bound(double q, bool upper) { return std::log(kTail) / std::log(upper ? q : 1 - q); }

/// A share r of the samples is on the wrong side of the limit, where `allowed` may be.
double independent_needed(double allowed, double r) {
  const double spread = kNormal * std::sqrt(allowed * (1 - allowed)) + kPower * std::sqrt(r * (1 - r));
  return std::pow(spread / (r - allowed), 2);
}

std::string by_ranks(const Threshold& assertion, double percentile, double value,
                     const std::vector<double>& in_order, const AssertionPlace& place) {
  const bool upper = is_upper(assertion.comparison);
  const auto n = static_cast<double>(in_order.size());
  const auto wrong = static_cast<double>(std::ranges::count_if(
      in_order, [&](double v) { return !holds(v, assertion.comparison, assertion.limit); }));
  const double q = percentile / 100;
  const double worth = n / effective_samples(in_order, value);  // samples worth one independent sample
  const double requests = there_were(place) / n;
  const double allowed = upper ? 1 - q : q, r = (wrong + 0.5) / (n + 1);
  const double needed = worth * requests * independent_needed(allowed, r);
  const double for_bounds = worth * requests * std::max(kFewestEffective, fewest_for_a_bound(q, upper));
  // A tail that this run did not reach is not at the limit: nothing is known of it.
  if (wrong == 0 && (r >= allowed || needed > most(place))) return about(for_bounds, "at least", place);
  if (needed <= most(place)) return about(std::max(needed, for_bounds), "about", place);
  return more_than_most("percentile", place);
}

/// The half width shrinks with the square root of the requests.
std::string by_width(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place) {
  const bool below = *figure.value < assertion.limit;
  const auto& facing = below ? figure.high : figure.low;
  const auto& other = below ? figure.low : figure.high;
  if (!facing && !other) return {};
  const double half = std::abs(facing.value_or(*other) - *figure.value) * (1 + kPower / kNormal);
  const double needed = there_were(place) * std::pow(half / std::abs(assertion.limit - *figure.value), 2);
  if (needed <= most(place)) return about(needed, "about", place);
  return more_than_most(assertion.statistic == "mean" ? "mean" : "percentile", place);
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
    const auto in_order = values_of(collect(place.answers, known, place.rules()));
    if (!in_order.empty()) return by_ranks(assertion, *percentile, *figure.value, in_order, place);
  }
  if (known.has_gaps() && !figure.low && !figure.high) return by_length(place);
  return by_width(assertion, figure, place);
}

}  // namespace infermeter

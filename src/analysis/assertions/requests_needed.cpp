#include "analysis/assertions/requests_needed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/assertions/percentile_forecast.hpp"
#include "analysis/statistics/intervals.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kPower = 1.28;  // the normal distribution's 90 %
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

/// The first number of one digit, and more than the run had, that settles the percentile; nothing up to the
/// largest forecast.
std::optional<double> first_that_settles(const PercentileForecast& forecast, double samples,
                                         const AssertionPlace& place) {
  const double had = there_were(place), samples_per_request = samples / had;
  for (double unit = std::pow(10, std::floor(std::log10(had))); unit <= most(place); unit *= 10) {
    for (double digit = 1; digit < 10 && digit * unit <= most(place); ++digit) {
      const double requests = digit * unit;
      if (requests > had && forecast.settles(requests * samples_per_request)) return requests;
    }
  }
  return std::nullopt;
}

/// Nothing is known of the next rounds before the run has had three.
std::string three_rounds(const PercentileSamples& samples, const AssertionPlace& place) {
  const double requests_per_sample = there_were(place) / static_cast<double>(samples.sorted().size());
  const double requests = std::ceil(kFewestRounds * samples.in_flight() * requests_per_sample);
  return fmt::format("a run of at least {} rounds ({} requests)", kFewestRounds,
                     format_count(static_cast<std::uint64_t>(requests)));
}

std::string by_samples(const Threshold& assertion, double percentile, const PercentileSamples& samples,
                       const AssertionPlace& place) {
  const auto n = static_cast<double>(samples.sorted().size());
  const double q = percentile / 100;
  const bool low_tail = find_figure(assertion.metric)->low_tail;
  const PercentileForecast forecast(samples, {q, assertion.limit, low_tail});
  const double rounds = kFewestRounds * samples.in_flight();
  if (n < std::min(rounds, forecast.fewest()) && rounds >= static_cast<double>(fewest_independent(q)))
    return three_rounds(samples, place);
  const auto requests = first_that_settles(forecast, n, place);
  if (!requests) return more_than_most("percentile", place);
  return fmt::format("{} {} requests", forecast.is_clear() ? "at least" : "about",
                     format_count(static_cast<std::uint64_t>(*requests)));
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
    if (const auto samples = percentile_samples(known, place))
      return by_samples(assertion, *percentile, *samples, place);
  }
  if (known.has_gaps() && !figure.low && !figure.high) return by_length(place);
  return by_width(assertion, figure, place);
}

}  // namespace infermeter

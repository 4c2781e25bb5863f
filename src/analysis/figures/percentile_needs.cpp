#include "analysis/figures/percentile_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kMost = 10'000, kMostTimes = 10;
constexpr double kWide = 1.25;  // the ratio of a bound to the value

std::string count_words(double requests) { return format_count(static_cast<std::uint64_t>(requests)); }

/// The first number of one digit, and more than the run had, that settles the percentile; nothing up to the
/// largest forecast.
std::optional<double> first_that_settles(const PercentileForecast& forecast, double samples_per_request,
                                         double had) {
  const double most = largest_forecast(had);
  for (double unit = std::pow(10, std::floor(std::log10(had))); unit <= most; unit *= 10) {
    for (double digit = 1; digit < 10 && digit * unit <= most; ++digit) {
      const double requests = digit * unit;
      if (requests > had && forecast.settles(requests * samples_per_request)) return requests;
    }
  }
  return std::nullopt;
}

/// Nothing is known of the next rounds before the run has had three; empty where other needs are greater.
std::string three_rounds(const PercentileForecast& forecast, const PercentileSamples& samples, double q,
                         double requests) {
  const auto n = static_cast<double>(samples.sorted().size());
  const double rounds = kFewestRounds * samples.in_flight();
  if (n >= std::min(rounds, forecast.fewest()) || rounds < static_cast<double>(fewest_independent(q)))
    return {};
  return fmt::format("a run of at least {} rounds ({} requests)", kFewestRounds,
                     count_words(std::ceil(rounds * requests / n)));
}

}  // namespace

std::string requests_to_settle(const PercentileSamples& samples, const LimitedPercentile& of,
                               double requests) {
  const auto n = static_cast<double>(samples.sorted().size());
  const PercentileForecast forecast(samples, of);
  if (auto rounds = three_rounds(forecast, samples, of.q, requests); !rounds.empty()) return rounds;
  const auto enough = first_that_settles(forecast, n / requests, requests);
  if (!enough) return more_than_largest("percentile", requests);
  return fmt::format("{} {} requests", forecast.is_clear() ? "at least" : "about", count_words(*enough));
}

std::string requests_to_narrow(const PercentileSamples& samples, const Percentile& percentile, bool low_tail,
                               double requests) {
  const double q = percentile.percentile / 100, value = percentile.value;
  const bool low = tail_is_low(q, low_tail);
  const double limit = low ? value / kWide : value * kWide;
  const auto& bad = low ? percentile.low : percentile.high;
  if (value <= 0 || (bad && (low ? *bad >= limit : *bad <= limit))) return {};
  const PercentileForecast forecast(samples, {q, limit, low_tail});
  if (auto rounds = three_rounds(forecast, samples, q, requests); !rounds.empty()) return rounds;
  const auto n = static_cast<double>(samples.sorted().size());
  const auto enough = first_that_settles(forecast, n / requests, requests);
  return enough ? fmt::format("about {} requests", count_words(*enough))
                : fmt::format("more than {} requests", count_words(largest_forecast(requests)));
}

double largest_forecast(double requests) { return requests < kMost ? kMost : kMostTimes * requests; }

std::string more_than_largest(std::string_view statistic, double requests) {
  const auto many = requests < kMost ? count_words(kMost) + " requests"
                                     : fmt::format("{} times these requests", kMostTimes);
  return fmt::format("more than {}: the {} is at the limit", many, statistic);
}

}  // namespace infermeter

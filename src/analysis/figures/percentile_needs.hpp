// How many requests a percentile takes, in words with one digit: "about 2,000 requests" (docs/statistics.md).
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "analysis/statistics/percentile_forecast.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Until its interval no longer contains the limit, after a run of `requests` measured ones that gave these
/// samples.
std::string requests_to_settle(const PercentileSamples& samples, const LimitedPercentile& of,
                               double requests);

/// Until its interval ends within a quarter of the value on its bad side; empty where it does.
std::string requests_to_narrow(const PercentileSamples& samples, const Percentile& percentile, bool low_tail,
                               double requests);

/// The largest forecast: 10,000 requests, or ten times what the run had if it had as many.
double largest_forecast(double requests);
std::string more_than_largest(std::string_view statistic, double requests);

}  // namespace infermeter

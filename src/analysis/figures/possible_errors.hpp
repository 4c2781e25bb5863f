// How far the arrivals that are not exact may move each statistic of a load point: it is computed again from
// all arrivals at one end of their bounds, and at the other. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figures/samples.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of every statistic of `metrics`, which were made of the same answers by the same rules; those that are 0
/// are left out. Nothing where an answer does not tell (records of older versions).
std::optional<std::vector<PossibleError>> possible_errors(const Records& answers, const SampleRules& rules,
                                                          const std::vector<Metric>& metrics);

/// Of one statistic, which need not be one that results have. Nothing where the answers do not tell, or have
/// no such figure.
std::optional<PossibleError> possible_error(const Figure& figure, std::string_view statistic,
                                            const Records& answers, const SampleRules& rules);

/// The largest possible error with which a value is trusted.
double allowed_error(const Figure& figure, double value);

/// "TTFT p95 183 ms may be up to 9.1 ms less": without the limit.
std::string error_words(const Figure& figure, const PossibleError& error, double value);

}  // namespace infermeter

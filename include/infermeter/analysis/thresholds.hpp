// Expressions such as `ttft.p95 < 500ms`, `error_rate < 1%`, `itl.p50 <= 30ms`: read, and held against a load
// point or a single request. k6's `ttft p(95)<500` is understood. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/result.hpp"
#include "infermeter/model/threshold.hpp"

namespace infermeter {

/// Of a load point. `origin` is the option as written, for messages: one line that names the rule, with the
/// expression and a caret under the wrong place as advice; an unknown metric names the nearest. A time
/// without a unit is refused, but in k6's form. The limit may be another figure of the same unit, or a part
/// of it: `goodput < 0.9 * request_throughput`. Throws UsageError.
Threshold parse_threshold(std::string_view origin, std::string_view text);
/// The same with a scope (`[target=a] ttft.p95 < 500ms`, before or behind it), and with any percentile.
Threshold parse_assertion(std::string_view origin, std::string_view text);
/// Of a single request: ttft, ttfo, ttft_response, tpot, tps, e2e, …, `itl.p95` (its own gaps); `ttft:500`
/// (milliseconds, at most; a rate: at least) is understood. Throws UsageError.
Threshold parse_slo(std::string_view origin, std::string_view text);

/// What the point's figure is; nothing where there is none (no sample, an `itl` that cannot be told). Rates
/// are those of the steady window, of the whole run where there is none.
std::optional<double> value_of(const Threshold& threshold, const PointResult& point);
/// The limit, in the figure's own unit; nothing where it is another figure that the point does not have.
std::optional<double> limit_of(const Threshold& threshold, const PointResult& point);
/// Whether the values of the point are as demanded; nothing where one of them is missing.
std::optional<bool> holds(const Threshold& threshold, const PointResult& point);

}  // namespace infermeter

// Parses expressions such as `ttft.p95 < 500ms`, `error_rate < 1%`, `itl.p50 <= 30ms`, and checks them at a
// load point or a single request. Accepts k6's `ttft p(95)<500`. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/result.hpp"
#include "infermeter/model/threshold.hpp"

namespace infermeter {

/// An expression about a load point. `origin` is the option as written. The message is one line that names
/// the rule; the advice shows the expression with a caret under the wrong place, and an unknown metric names
/// the nearest. A time without a unit is refused, except in k6's form. The limit may be another figure of the
/// same unit, or a part of it: `goodput < 0.9 * request_throughput`. Throws UsageError.
Threshold parse_threshold(std::string_view origin, std::string_view text);
/// The same with a scope (`[target=a] ttft.p95 < 500ms`, before or behind it), and with any percentile.
Threshold parse_assertion(std::string_view origin, std::string_view text);
/// An expression about a single request: ttft, ttfo, ttft_response, tpot, tps, e2e, …, `itl.p95` (its own
/// gaps). Accepts `ttft:500` (milliseconds, at most; a rate: at least). Throws UsageError.
Threshold parse_slo(std::string_view origin, std::string_view text);

/// A figure alone, `ttft.p95` or k6's `ttft p(95)`, as "ttft.p95". Throws UsageError.
std::string parse_figure(std::string_view origin, std::string_view text);

/// The point's figure; nothing without one (no sample, an unknown `itl`). Rates are those of the steady
/// window, or of the whole run without a steady window.
std::optional<double> value_of(const Threshold& threshold, const PointResult& point);
/// The limit, in the figure's own unit; nothing where it is another figure that the point lacks.
std::optional<double> limit_of(const Threshold& threshold, const PointResult& point);
/// Whether the values of the point meet the threshold; nothing where one of them is missing.
std::optional<bool> holds(const Threshold& threshold, const PointResult& point);

}  // namespace infermeter

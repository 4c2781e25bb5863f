// One demand on a figure: `ttft.p95 < 500ms`. Of a load point (--stop-when, --assert) or, with the metric of
// a single request, of each request (--slo 'itl.p95<50ms': the request's own gaps). A plain value; read by
// analysis/thresholds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace infermeter {

enum class Comparison : std::uint8_t { below, at_most, above, at_least };
/// "<", "<=", ">", ">="
std::string_view name(Comparison comparison);
bool holds(double value, Comparison comparison, double limit);

struct Threshold {
  std::string text;       // as given
  std::string metric;     // a name of docs/metrics.md: "ttft", "error_rate"
  std::string statistic;  // "p95", "mean", "min", "max"; empty: the figure has only one value
  Comparison comparison = Comparison::below;
  double limit = 0;  // in the metric's own unit (ms, tokens/s, share)
};

}  // namespace infermeter

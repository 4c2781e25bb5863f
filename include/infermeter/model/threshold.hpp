// One limit on a figure: `ttft.p95 < 500ms`. It applies to a load point (--stop-when, --assert) or, with the
// metric of a single request, to each request (--slo 'itl.p95<50ms': the request's own gaps). A plain value;
// parsed by analysis/thresholds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/model/names.hpp"

namespace infermeter {

enum class Comparison : std::uint8_t { below, at_most, above, at_least };
template <>
inline constexpr std::array<std::string_view, 4> kNamesOf<Comparison>{"<", "<=", ">", ">="};

bool holds(double value, Comparison comparison, double limit);
/// `<` and `<=`: the figure must stay below the limit.
bool is_upper(Comparison comparison);

struct Threshold {
  std::string text;       // as given
  std::string metric;     // a name of docs/metrics.md: "ttft", "error_rate"
  std::string statistic;  // "p95", "mean", "min", "max"; empty: the figure has only one value
  Comparison comparison = Comparison::below;
  double limit =
      0;  // in the metric's own unit (ms, tokens/s, share); with `of_metric`: a factor of that figure
  /// `goodput >= 0.99 * request_throughput`: the limit is a share of another figure; empty: a number.
  std::string of_metric, of_statistic;
  /// `[target=a, concurrency=8]`: the points that it applies to; empty: all points. Keys: target,
  /// concurrency, rate, shape, class, run.
  std::vector<std::pair<std::string, std::string>> scope;
};

}  // namespace infermeter

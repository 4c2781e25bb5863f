// Every metric of a set of answers: of a whole point, or of some of its requests. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct MetricSet {
  std::vector<Metric> metrics;    // in the order of docs/metrics.md; absent where there is no sample
  std::optional<double> comfort;  // share of tokens with itl within the limit
};

/// How answers of a point are read.
struct MetricRules {
  bool stream = true;
  std::string_view token_source;  // "events": nobody counted, so that events stand for tokens
  double comfort_ms = 30;
};

/// `answers` in order of intention.
MetricSet make_metrics(const Records& answers, const MetricRules& rules);

/// The server's own times, as "queue", "prefill", "decode", "ttft".
std::vector<Metric> make_server_metrics(const Records& answers);

}  // namespace infermeter

// Every metric of a set of answers: of a whole point, or of some of its requests. Pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "analysis/figures/samples.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct MetricSet {
  std::vector<Metric> metrics;    // in the order of the catalogue; absent where there is no sample
  std::optional<double> comfort;  // share of tokens with itl within the limit
};

/// `answers` in order of intention.
MetricSet make_metrics(const Records& answers, const SampleRules& rules);

/// The server's own times, as "queue", "prefill", "decode", "ttft".
std::vector<Metric> make_server_metrics(const Records& answers);

}  // namespace infermeter

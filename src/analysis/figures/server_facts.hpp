// Facts in the answers apart from their times: cost, cached tokens, rate limits, retries, conversations.
// Pure; any thread.
#pragma once

#include "analysis/runs/run_records.hpp"
#include "infermeter/analysis/summarize.hpp"

namespace infermeter {

/// Fills cost, cache, rate_limits, retries, retried_requests, conversations, server_metrics and
/// server_times_from of `point`, which has its counts and rates already.
void add_server_facts(const RunRecords& run, const RunState& state, PointResult& point);

struct CostRules {
  const Prices& prices;
  double seconds = 0;           // that the target was measured
  double tokens_per_event = 1;  // for requests that the server did not count
};

/// The cost of the measured requests: the server's own figure where nine in ten of the ok answers have one,
/// else tokens at their price, else the hours of the whole target. Nothing where none of these is known.
/// Requests that started and have no count (closed or broken streams) are estimated, and the source says so.
std::optional<Cost> cost_of(const RunRecords& run, const CostRules& rules);

}  // namespace infermeter

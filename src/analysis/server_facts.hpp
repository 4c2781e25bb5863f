// What answers say beyond their times: cost, cached tokens, rate limits, retries, conversations. Pure; any
// thread.
#pragma once

#include "infermeter/analysis/summarize.hpp"
#include "run_records.hpp"

namespace infermeter {

/// Fills cost, cache, rate_limits, retries, retried_requests, conversations, server_metrics and
/// server_times_from of `point`, which has its counts and rates already.
void add_server_facts(const RunRecords& run, const RunState& state, PointResult& point);

/// What the measured requests cost: the server's own figure where nine in ten of the ok answers have one,
/// else tokens at their price, else the hours of the whole target. Nothing where none of it is known.
std::optional<Cost> cost_of(const RunRecords& run, const Prices& prices, double seconds);

}  // namespace infermeter

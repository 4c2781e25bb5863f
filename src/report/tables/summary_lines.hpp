// The lines between the metrics and the verdict: rates, requests, tokens, and optional others. Private to
// src/report.
#pragma once

#include "report/text/page.hpp"

namespace infermeter {

void print_rates(const PointResult& point, Page& page);
/// Counts by class, an example of each failure with advice, finish reasons, flags of answers.
void print_requests(const PointResult& point, Page& page);
/// The classes that are not ok, with an example and advice for each.
void print_ends(const std::vector<OutcomeCount>& outcomes, Page& page);
/// The source of token counts, tokens per answer, reading comfort.
void print_tokens(const PointResult& point, Page& page);
/// How many requests met their SLOs; nothing without any.
void print_slo(const PointResult& point, Page& page);
/// The server's cache, cost, rate limits, retries.
void print_facts(const PointResult& point, Page& page);
/// What other tools call these figures.
void print_names(const PointResult& point, Page& page);
/// With `wide` also prefix groups, every turn, and every metric of each class.
void print_slices(const PointResult& point, bool wide, Page& page);
/// The server's own times beside our times of the same name.
void print_server_times(const PointResult& point, Page& page);

/// False for a load point that the run did not reach.
bool was_measured(const PointResult& point);
/// The warnings for the row of a point: how many requests failed and how, whether it can be trusted.
Span point_note(const PointResult& point);

}  // namespace infermeter
